import type * as lab from '#tests/support/lab/index.ts'

const OPTIONS = {
  BatchMode: 'yes',
  StrictHostKeyChecking: 'no',
  UserKnownHostsFile: '/dev/null',
  IdentitiesOnly: 'yes',
  LogLevel: 'ERROR',
  ConnectTimeout: '10',
}
const options = Object.entries(OPTIONS).flatMap(([name, value]) => ['-o', `${name}=${value}`])

/** The programs ssh and sftp of Debian on a server, with the keys of people. */
export class SshClient {
  readonly #host: lab.Host

  constructor(host: lab.Host) {
    this.#host = host
  }

  /** A new key pair; returns the line of the public key. */
  async newKey(name: string, type = 'ed25519'): Promise<string> {
    const path = `/root/keys/${name}`
    await this.#host.must(['mkdir', '-p', '/root/keys'])
    await this.#host.must(['ssh-keygen', '-q', '-t', type, '-N', '', '-C', name, '-f', path])
    return (await this.#host.must(['cat', `${path}.pub`])).trim()
  }

  #to(key: string): string[] {
    return [...options, '-i', `/root/keys/${key}`]
  }

  /** Runs sftp with the lines; the output is that of both streams. */
  async sftp(key: string, user: string, lines: readonly string[]) {
    const argv = ['sftp', ...this.#to(key), '-b', '-', `${user}@127.0.0.1`]
    const { code, stdout, stderr } = await this.#host.exec(argv, { input: `${lines.join('\n')}\n` })
    return { code, text: stdout + stderr }
  }

  /** Runs sftp with the lines that a script of the shell prints. */
  feed(key: string, user: string, script: string) {
    const sftp = ['sftp', ...this.#to(key), '-b', '-', `${user}@127.0.0.1`].join(' ')
    return this.#host.spawn(['bash', '-c', `(${script}) | ${sftp}`])
  }

  /** `options` stand before the address, `command` after it. */
  async ssh(
    key: string,
    user: string,
    command: readonly string[],
    options: readonly string[] = [],
  ) {
    const argv = ['ssh', ...this.#to(key), ...options, `${user}@127.0.0.1`, ...command]
    const { code, stdout, stderr } = await this.#host.exec(argv, { timeout_ms: 60_000 })
    return { code, text: stdout + stderr }
  }

  /** A connection that stays until the server ends it. */
  stay(key: string, user: string) {
    return this.#host.spawn(['ssh', ...this.#to(key), '-N', `${user}@127.0.0.1`])
  }

  /** A command that runs until it or the connection ends. */
  spawn(key: string, user: string, command: readonly string[]) {
    return this.#host.spawn(['ssh', ...this.#to(key), `${user}@127.0.0.1`, ...command])
  }

  /** Types lines into a terminal, each some time after the one before. */
  async typed(key: string, user: string, lines: readonly string[]) {
    const ssh = ['ssh', ...this.#to(key), '-tt', `${user}@127.0.0.1`].join(' ')
    const typing = lines.map((line) => `sleep 2; printf '%s\\r' '${line}'`).join('; ')
    const script = `(${typing}; sleep 2) | script -qefc "stty rows 33 cols 99; ${ssh}" /dev/null; echo "status $?"`
    const { stdout, code } = await this.#host.exec(['bash', '-c', script], { timeout_ms: 60_000 })
    return { code, text: stdout }
  }

  scp(key: string, from: string, to: string) {
    return this.#host.exec(['scp', ...this.#to(key), from, to], { timeout_ms: 60_000 })
  }

  rsync(key: string, from: string, to: string) {
    const rsh = `--rsh=ssh ${this.#to(key).join(' ')}`
    return this.#host.exec(['rsync', '--archive', rsh, from, to], { timeout_ms: 60_000 })
  }

  git(key: string, argv: readonly string[]) {
    const env = `GIT_SSH_COMMAND=ssh ${this.#to(key).join(' ')}`
    return this.#host.exec(['env', env, 'git', ...argv], { timeout_ms: 60_000 })
  }
}
