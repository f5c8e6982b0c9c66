/** Whether the method is GET or HEAD, which only read and support ETags. */
export function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
