import net, { type AddressInfo, type Server, type Socket } from 'node:net'

/**
 * Answers to verbs that replace those of a good relay: a line, several in turn of which the last
 * one stays, `hang` for no answer, or `close` to end the connection. A line and `close` is both.
 * `greeting` and `text` (the end of a message) are verbs, too.
 */
export type Answers = Record<string, string | readonly string[]>

const GOOD: Record<string, string> = {
  ...{ greeting: '220 odd', EHLO: '250-odd\r\n250 AUTH PLAIN', MAIL: '250 ok', RCPT: '250 ok' },
  ...{
    DATA: '354 send the text',
    text: '250 taken',
    RSET: '250 ok',
    AUTH: '235 ok',
    QUIT: '221 bye',
  },
}

interface Dialogue {
  rest: string
  inText: boolean
}

/** A relay that breaks the protocol. */
export class OddRelay {
  /** All received lines, except texts of messages. */
  readonly received: string[] = []
  /** The subjects of the messages that it accepted. */
  readonly taken: string[] = []
  connections = 0
  answers: Answers
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #asked = new Map<string, number>()

  private constructor(answers: Answers) {
    this.answers = answers
    this.#server = net.createServer((socket) => this.#serve(socket))
  }

  static async start(answers: Answers): Promise<OddRelay> {
    const relay = new OddRelay(answers)
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', () => resolve()))
    return relay
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  stop(): void {
    this.#server.close()
    for (const socket of this.#sockets) socket.destroy()
  }

  #serve(socket: Socket): void {
    this.connections += 1
    this.#sockets.add(socket)
    socket.on('error', () => undefined)
    const state: Dialogue = { rest: '', inText: false }
    socket.on('data', (chunk) => {
      state.rest += String(chunk)
      while (this.#take(socket, state));
    })
    this.#answer(socket, 'greeting')
  }

  /** Takes one line or one text; false if there is none. */
  #take(socket: Socket, state: Dialogue): boolean {
    // A message without a line.
    if (state.inText && state.rest.startsWith('.\r\n')) state.rest = `\r\n${state.rest}`
    const mark = state.inText ? '\r\n.\r\n' : '\r\n'
    const end = state.rest.indexOf(mark)
    if (end < 0) return false
    const line = state.rest.slice(0, end)
    state.rest = state.rest.slice(end + mark.length)
    if (state.inText) {
      this.#answer(socket, 'text', line)
      state.inText = false
    } else {
      this.received.push(line)
      const verb = line.split(' ')[0] ?? ''
      state.inText = this.#answer(socket, verb).startsWith('354')
    }
    return true
  }

  #answer(socket: Socket, verb: string, text = ''): string {
    const found = this.answers[verb] ?? GOOD[verb] ?? '500 what?'
    const turn = this.#asked.get(verb) ?? 0
    this.#asked.set(verb, turn + 1)
    const answer =
      typeof found === 'string' ? found : (found[Math.min(turn, found.length - 1)] ?? '')
    const [, line = '', closes] = /^(.*?)(?: ?\b(close|hang))?$/s.exec(answer) ?? []
    const subject = /^Subject: (.*)$/m.exec(text)?.[1]?.trim()
    if (line.startsWith('250') && subject !== undefined) this.taken.push(subject)
    if (line !== '') socket.write(`${line}\r\n`)
    if (closes === 'close') socket.end()
    return line
  }
}
