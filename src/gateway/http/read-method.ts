/** GET and HEAD only read: what they ask for can be a file, and revalidated by an entity tag. */
export function isReadMethod(method: string): boolean {
  return method === 'GET' || method === 'HEAD'
}
