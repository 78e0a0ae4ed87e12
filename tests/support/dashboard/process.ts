import { EMAIL, PASSWORD } from './dashboard.ts'

type Environment = Record<string, string>

/** The sources, as a developer starts them. */
const SOURCES = ['bun', 'dashboard/main.ts']

/** A dashboard on a free port. */
export class Process {
  readonly #child: Bun.Subprocess<'ignore', 'pipe', 'pipe'>
  readonly stdout: string[] = []
  readonly #ready: Promise<void>
  readonly #stderr: Promise<string>
  #cookie = ''

  constructor(environment: Environment, argv: readonly string[] = SOURCES) {
    this.#child = Bun.spawn([...argv], {
      env: { PATH: process.env.PATH, PORT: '0', ...environment },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    })
    this.#ready = this.#read()
    this.#stderr = new Response(this.#child.stderr).text()
  }

  async url(): Promise<string> {
    await this.#ready
    return this.stdout.at(-1)?.replace('listening on ', '') ?? ''
  }

  /** Exit status and what was written to stderr. */
  async exit(): Promise<{ status: number; stderr: string }> {
    return { status: await this.#child.exited, stderr: await this.#stderr }
  }

  kill(signal: 'SIGKILL' | 'SIGTERM'): void {
    this.#child.kill(signal)
  }

  async signIn(): Promise<void> {
    const response = await this.send('POST', '/api/auth/login', {
      email: EMAIL,
      password: PASSWORD,
    })
    this.#cookie = response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  }

  async send(method: string, path: string, body?: unknown): Promise<Response> {
    const headers = { cookie: this.#cookie, 'content-type': 'application/json' }
    const sent = body === undefined ? {} : { body: JSON.stringify(body) }
    return fetch((await this.url()) + path, { method, headers, ...sent })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.kill('SIGKILL')
    await this.#child.exited
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder()
    let text = ''
    for await (const chunk of this.#child.stdout) {
      text += decoder.decode(chunk)
      this.stdout.splice(0, this.stdout.length, ...text.trim().split('\n'))
      if (text.includes('listening on ')) return
    }
  }
}
