import { formsOf } from '#tests/support/canary.ts'
import type { Host } from '#tests/support/lab/index.ts'

const PATTERNS = '/root/canaries'
const HITS = '/root/canary-hits'
/** The arguments and the environment of every process of the server, again and again. */
const WATCH = `while :; do
  grep -aoHF -f ${PATTERNS} /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null >> ${HITS}
  sleep 0.03
done`
/** Where a secret could remain; not what the kernel has. */
const PLACES = ['/etc', '/root', '/run', '/srv', '/tmp', '/var', '/mnt', '/usr/local']

/** Looks for secrets, in any of their usual forms, everywhere on a server. */
export class SecretWatch {
  readonly #host: Host
  #stop: (() => Promise<unknown>) | undefined

  constructor(host: Host) {
    this.#host = host
  }

  async start(secrets: readonly string[]): Promise<void> {
    await this.#host.put(HITS, '', 0o600)
    await this.lookFor(secrets)
    const watching = this.#host.spawn(['bash', '-c', WATCH])
    this.#stop = () => watching.stop()
  }

  /** From now on. */
  async lookFor(secrets: readonly string[]): Promise<void> {
    await this.#host.put(PATTERNS, `${secrets.flatMap(formsOf).join('\n')}\n`, 0o600)
  }

  /** What was found in processes, in the journal, and in which files. */
  async found(secrets: readonly string[]): Promise<string[]> {
    await this.#stop?.()
    await this.lookFor(secrets)
    const hits = await this.#host.must(['cat', HITS])
    const journal = await this.#host.exec([
      ...['bash', '-c', `journalctl --no-pager --all | grep -aF -f ${PATTERNS}`],
    ])
    const own = [PATTERNS, HITS].map((path) => `--exclude=${path.slice('/root/'.length)}`)
    const files = await this.#host.exec([
      ...['grep', '-rlaF', '--devices=skip', ...own, '-f', PATTERNS, '--', ...PLACES],
    ])
    return [...lines(hits), ...lines(journal.stdout), ...lines(files.stdout)]
  }
}

const lines = (text: string) => [...new Set(text.split('\n').filter(Boolean))]
