import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { composeMail, type Mail } from '../../../src/platform/mail/compose-mail.js'
import {
  checkMailServer,
  createMailTransport,
  type MailTransport,
} from '../../../src/platform/mail/mail-transport.js'
import { parseSmtpUrl } from '../../../src/platform/mail/smtp-url.js'
import { type MailRules, type MailServer, reply, startMailServer } from '../../support/peers/mail-server.js'
import { waitedMs } from '../../support/waited-ms.js'

const MESSAGE = Buffer.from('Subject: test\r\n\r\n.first\r\nlast\r\n')
const ENVELOPE = { from: 'news@gateway.example', to: 'ada@example.org', message: MESSAGE }

const closing: (() => Promise<void> | void)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

async function serve(rules: MailRules = {}): Promise<MailServer> {
  const server = await startMailServer(rules)
  closing.push(() => server.close())
  return server
}

function transportOf(url: string): MailTransport {
  const transport = createMailTransport(parseSmtpUrl(url))
  closing.push(() => transport.close())
  return transport
}

describe('connections to a mail server', () => {
  it('sends several mails over one connection, byte for byte', async () => {
    const server = await serve()
    const transport = transportOf(server.url)
    for (let at = 0; at < 3; at += 1) expect(await transport.send(ENVELOPE)).toEqual({ kind: 'accepted' })
    expect(server.mails.map(({ to, raw }) => [to, raw])).toEqual(
      Array.from({ length: 3 }, () => ['ada@example.org', MESSAGE.toString()]),
    )
    expect(server.mostConnections()).toBe(1)
  })

  it('says what was refused and whether permanently, by codes only', async () => {
    const server = await serve({
      onRecipient: (address) => {
        if (address.startsWith('gone')) throw reply(550, '5.1.1 <gone@example.org> is not here')
        if (address.startsWith('later')) throw reply(450, 'later')
      },
      onMail: ({ to }) => {
        if (to.startsWith('spam')) throw reply(554, '5.7.1 looks like spam')
      },
    })
    const transport = transportOf(server.url)
    const send = (to: string) => transport.send({ ...ENVELOPE, to })
    expect(await send('gone@example.org')).toEqual({
      kind: 'refused',
      stage: 'recipient',
      isPermanent: true,
      codes: '550 5.1.1',
    })
    expect(await send('later@example.org')).toEqual({
      kind: 'refused',
      stage: 'recipient',
      isPermanent: false,
      codes: '450',
    })
    expect(await send('spam@example.org')).toEqual({
      kind: 'refused',
      stage: 'message',
      isPermanent: true,
      codes: '554 5.7.1',
    })
    expect(await send('ada@example.org')).toEqual({ kind: 'accepted' })
  })

  it('is unconfirmed if the connection breaks after the end of the message, and unsent before', async () => {
    const server = await scripted((line, socket) => {
      if (line === '.') socket.destroy()
      return line.startsWith('DATA') ? '354 go on' : '250 ok'
    })
    expect(await transportOf(server).send(ENVELOPE)).toEqual({
      kind: 'unconfirmed',
      codes: 'ECONNECTION',
    })
    const early = await scripted((line, socket) => {
      if (line.startsWith('RCPT')) socket.destroy()
      return '250 ok'
    })
    expect(await transportOf(early).send(ENVELOPE)).toMatchObject({ kind: 'unsent' })
    const nobody = transportOf('smtp://127.0.0.1:9')
    expect(await nobody.send(ENVELOPE)).toEqual({ kind: 'unsent', codes: 'ECONNREFUSED' })
  })

  it('ends in time with a silent server, before the message and after it', async () => {
    const silent = await scripted(() => null)
    const first = await waitedMs(async () =>
      expect(await transportOf(silent).send(ENVELOPE, 300)).toEqual({
        kind: 'unsent',
        codes: 'ETIMEDOUT',
      }),
    )
    const late = await scripted((line) =>
      line === '.' ? null : line.startsWith('DATA') ? '354 go on' : '250 ok',
    )
    const second = await waitedMs(async () =>
      expect(await transportOf(late).send(ENVELOPE, 300)).toEqual({
        kind: 'unconfirmed',
        codes: 'ETIMEDOUT',
      }),
    )
    expect([first, second]).toEqual([300, 300])
  })

  it('is checked without a mail, and lets go of a silent server in time', async () => {
    const server = await serve()
    expect(await checkMailServer(parseSmtpUrl(server.url), 5_000)).toBeNull()
    expect(await checkMailServer(parseSmtpUrl('smtp://127.0.0.1:9'), 5_000)).toBe('ECONNREFUSED')
    const left = new Set<Socket>()
    const silent = await scripted((_, socket) => {
      left.add(socket)
      return null
    })
    expect(await checkMailServer(parseSmtpUrl(silent), 300)).toBe('ETIMEDOUT')
    await expect
      .poll(() => [...left].map(({ readableEnded, destroyed }) => readableEnded || destroyed))
      .toEqual([true])
    expect(server.mails).toEqual([])
  })

  it('sends neither password nor mail to a server without encryption', async () => {
    const server = await serve()
    const { credentials: _, ...address } = parseSmtpUrl(`smtp://mail.example:${server.port}`)
    const transport = createMailTransport({
      ...address,
      host: '127.0.0.1',
      credentials: { user: 'ada', pass: 'secret' },
    })
    closing.push(() => transport.close())
    expect(await transport.send(ENVELOPE)).toMatchObject({ kind: 'unsent' })
    expect(server.mails).toEqual([])
  })

  it('refuses an untrusted certificate', async () => {
    const server = await serve({ options: { disabledCommands: ['AUTH'] } })
    const transport = createMailTransport({
      host: '127.0.0.1',
      port: server.port,
      encryption: 'starttls',
      credentials: null,
    })
    closing.push(() => transport.close())
    expect(await transport.send(ENVELOPE)).toMatchObject({ kind: 'unsent' })
    expect(server.mails).toEqual([])
  })

  it('logs in with the password, and does not show a wrong one', async () => {
    const server = await serve({
      options: {
        authOptional: false,
        allowInsecureAuth: true,
        disabledCommands: ['STARTTLS'],
        onAuth: ({ username, password }, _session, done) =>
          username === 'ada' && password === 'p@ss'
            ? done(null, { user: 'ada' })
            : done(reply(535, '5.7.8 wrong')),
      },
    })
    const login = (password: string) => transportOf(server.url.replace('//', `//ada:${password}@`))
    expect(await login('p%40ss').send(ENVELOPE)).toEqual({ kind: 'accepted' })
    expect(await login('wrong').send(ENVELOPE)).toEqual({ kind: 'unsent', codes: '535 5.7.8' })
  })
})

/** A server that answers each line as the function says; null: not at all. */
async function scripted(answer: (line: string, socket: Socket) => string | null): Promise<string> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    socket.write('220 ready\r\n')
    let rest = ''
    let isMessage = false
    socket.on('data', (chunk: Buffer) => {
      const lines = (rest + chunk.toString()).split('\r\n')
      rest = lines.pop() ?? ''
      for (const line of lines) {
        if (isMessage && line !== '.') continue
        const text =
          line.startsWith('EHLO') && answer(line, socket) !== null ? '250 ok' : answer(line, socket)
        isMessage = line.startsWith('DATA')
        if (text !== null && !socket.destroyed) socket.write(`${text}\r\n`)
      }
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closing.push(() => new Promise<void>((closed) => server.close(() => closed())))
  return `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe('a mail', () => {
  const MAIL: Mail = {
    from: { name: 'Market Data', address: 'news@gateway.example' },
    to: 'ada@example.org',
    subject: 'Week',
    text: 'Text',
    html: '<p>Text</p>',
    messageId: '2026-W46.abc@gateway.example',
    date: new Date('2026-11-20T12:00:00Z'),
    headers: {
      'List-Unsubscribe': `<https://gateway.example/newsletter/unsubscribe?token=${'a'.repeat(72)}>`,
    },
  }

  it('has its id, its date, both renderings and the given headers, unbroken', async () => {
    const raw = (await composeMail(MAIL)).toString()
    expect(raw).toContain('\r\nMessage-ID: <2026-W46.abc@gateway.example>\r\n')
    expect(raw).toContain('\r\nDate: Fri, 20 Nov 2026 12:00:00 +0000\r\n')
    expect(raw).toMatch(/\r\nContent-Type: multipart\/alternative/)
    expect(raw.replace(/\r\n[ \t]+/g, ' ')).toContain(
      `List-Unsubscribe: ${MAIL.headers['List-Unsubscribe']}\r\n`,
    )
  })

  it('has no header that an outside text began', async () => {
    const hostile = 'x\r\nBcc: all@example.org\r\n\r\nbody'
    const raw = (
      await composeMail({
        ...MAIL,
        subject: hostile,
        from: { ...MAIL.from, name: hostile },
        headers: { 'List-Id': hostile },
      })
    ).toString()
    const [head = ''] = raw.split('\r\n\r\n')
    expect(head).not.toMatch(/^Bcc:/im)
    expect(head.match(/^(\S+?):/gm)?.sort()).toEqual(
      [
        'Content-Type:',
        'Date:',
        'From:',
        'List-ID:',
        'MIME-Version:',
        'Message-ID:',
        'Subject:',
        'To:',
      ].sort(),
    )
  })
})
