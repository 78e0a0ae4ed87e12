import { backupProve } from '#agent/features/backups/backup.prove.ts'
import type { FakeHost } from '#tests/support/fake-host.ts'
import { savedSite } from './backup.ts'
import { contextOf, outcome } from './debian.ts'

const AGENT = '/usr/local/bin/hosting-agent'
export const PAGES = ['/', '/wp-login.php', '/feed/']

/** The report of the rewriter on a dump with these rows in its only table. */
export const digests = (sha256: string, rows = 3) =>
  JSON.stringify({ tables: [{ table: 'wp_options', rows, sha256, columns: [] }] })

export const answered = (answer: object) =>
  JSON.stringify(PAGES.map((path) => ({ path, status: 200, complete: true, ...answer })))

/** A server with a site and its backup, on which a restored copy works. */
export async function provableSite() {
  const { host, restore } = await savedSite({ '/srv/www/shop/public/page.html': 'as saved' })
  const { parts: _, ...params } = restore({ files: true, database: true })
  host.answer('awk', '1 1000\n')
  host.fail(`${AGENT} rewrite`, digests('a'), 0)
  host.answer(`${AGENT} pages`, `${answered({})}\n`)
  const prove = (on: FakeHost = host) => outcome(backupProve.run(params, contextOf(on)))
  return { host, params, prove }
}

/** The answers of the rewriter, one after the other. */
export function answersOfRewriter(host: FakeHost, ...texts: string[]): void {
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    const output = await run(argv, options)
    if (argv[1] !== 'rewrite') return output
    return { ...output, stderr: texts.shift() ?? '' }
  }
}

/** Everything on a server that has the name of a hidden site. */
export const hiddenOn = (host: FakeHost): string[] =>
  [
    ...Object.entries(host.disk.all).flatMap(([path, text]) => [path, text ?? '']),
    ...host.databases.keys(),
  ].filter((text) => text.includes('proof-'))
