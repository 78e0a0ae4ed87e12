import { fileURLToPath } from 'node:url'
import { formsOf } from '#tests/support/canary.ts'
import { type Background, background, type Host, poll } from '#tests/support/lab/index.ts'

const PATTERNS = '/root/canaries'
const WATCH = fileURLToPath(import.meta.resolve('./process-watch.ts'))
/** Where a secret could remain; not what the kernel has. */
const PLACES = ['/etc', '/root', '/run', '/srv', '/tmp', '/var', '/mnt', '/usr/local']

/** Looks for secrets, in any of their usual forms, everywhere on a server. */
export class SecretWatch {
  readonly #host: Host
  #watching: Background | undefined

  constructor(host: Host) {
    this.#host = host
  }

  async start(secrets: readonly string[]): Promise<void> {
    await this.lookFor(secrets)
    const namespace = (await this.#host.must(['readlink', '/proc/self/ns/pid'])).trim()
    const argv = [process.execPath, WATCH, namespace, `${this.#host.root}${PATTERNS}`]
    const watching = background(argv, {})
    await poll(() => watching.output().includes('ready'), { awaited: 'the watch is ready' })
    this.#watching = watching
  }

  /** From now on. */
  async lookFor(secrets: readonly string[]): Promise<void> {
    await this.#host.put(PATTERNS, `${secrets.flatMap(formsOf).join('\n')}\n`, 0o600)
  }

  /** Lists where the secrets were found: processes, lines of the journal, and paths of files. */
  async found(secrets: readonly string[]): Promise<string[]> {
    await this.#watching?.stop('SIGKILL')
    const hits = this.#watching?.output().replace('ready\n', '') ?? ''
    await this.lookFor(secrets)
    const journal = await this.#host.exec([
      ...['bash', '-c', `journalctl --no-pager --all | grep -aF -f ${PATTERNS}`],
    ])
    const own = [`--exclude=${PATTERNS.slice('/root/'.length)}`]
    const files = await this.#host.exec([
      ...['grep', '-rlaF', '--devices=skip', ...own, '-f', PATTERNS, '--', ...PLACES],
    ])
    return [...lines(hits), ...lines(journal.stdout), ...lines(files.stdout)]
  }
}

const lines = (text: string) => [...new Set(text.split('\n').filter(Boolean))]
