import type { Output } from '#agent/kernel/host/ports.ts'
import { done, failed, printed } from '#agent/kernel/host/simulated/programs/output.ts'
import type { Machine } from '#scripts/demo/machine/machine.ts'

const VERSIONS = { 12: '1.22.1', 13: '1.26.3' }
const MAIN = '/etc/nginx/nginx.conf'
const FOLDERS = ['/etc/nginx/conf.d', '/etc/nginx/sites-enabled']

export function nginx(machine: Machine, argv: readonly string[]): Output {
  if (argv.includes('-v')) return failed(`nginx version: nginx/${versionOf(machine)}`, 0)
  if (!argv.includes('-T')) return done()
  const paths = FOLDERS.flatMap((folder) =>
    machine.disk.names(folder).map((name) => `${folder}/${name}`),
  )
  const texts = [MAIN, ...paths].map(
    (path) => `# configuration file ${path}:\n${machine.disk.text(path) ?? ''}`,
  )
  return printed(texts.join('\n'))
}

export const versionOf = ({ plan }: Machine): string => VERSIONS[plan.debian]

/** Listening programs, as ss(8) lists them. */
export const ss = (): Output =>
  printed(
    [80, 443]
      .map((port) => `LISTEN 0 511 0.0.0.0:${port} 0.0.0.0:* users:(("nginx",pid=11,fd=6))\n`)
      .join(''),
  )
