import type * as lab from '#tests/support/lab/index.ts'

const OPTIONS = {
  BatchMode: 'no',
  PreferredAuthentications: 'password,keyboard-interactive',
  PubkeyAuthentication: 'no',
  NumberOfPasswordPrompts: '1',
  StrictHostKeyChecking: 'no',
  UserKnownHostsFile: '/dev/null',
  LogLevel: 'ERROR',
  ConnectTimeout: '10',
}
const options = Object.entries(OPTIONS).flatMap(([name, value]) => ['-o', `${name}=${value}`])
const ASK = '/root/askpass'
/** Not searched for secrets: the client of a person must have it somewhere. */
const SECRET = '/dev/shm/password'

/** The programs ssh and sftp of Debian with a password, which is in no argument and no variable. */
export class PasswordClient {
  readonly #host: lab.Host

  constructor(host: lab.Host) {
    this.#host = host
  }

  async #with(password: string) {
    await this.#host.put(SECRET, password, 0o600)
    await this.#host.put(ASK, `#!/bin/sh\ncat ${SECRET}\n`, 0o700)
    return { SSH_ASKPASS: ASK, SSH_ASKPASS_REQUIRE: 'force' }
  }

  /** The output is that of both streams; the status 255: refused. */
  async sftp(login: string, password: string, lines: readonly string[]) {
    const argv = ['sftp', ...options, '-b', '-', `${login}@127.0.0.1`]
    const env = await this.#with(password)
    const input = `${lines.join('\n')}\n`
    const { code, stdout, stderr } = await this.#host.exec(argv, { input, env })
    return { code, text: stdout + stderr }
  }

  async logsIn(login: string, password: string): Promise<number> {
    return (await this.sftp(login, password, ['pwd'])).code
  }

  /** `more` stands before the address, `command` after it. */
  async ssh(
    login: string,
    password: string,
    command: readonly string[],
    more: readonly string[] = [],
  ) {
    const argv = ['ssh', ...options, ...more, `${login}@127.0.0.1`, ...command]
    const env = await this.#with(password)
    const { code, stdout, stderr } = await this.#host.exec(argv, { env, timeout_ms: 60_000 })
    return { code, text: stdout + stderr }
  }

  /** A connection that stays until the server ends it. */
  async stay(login: string, password: string, more: readonly string[] = []) {
    const env = await this.#with(password)
    return this.#host.spawn(['ssh', ...options, ...more, '-N', `${login}@127.0.0.1`], env)
  }
}
