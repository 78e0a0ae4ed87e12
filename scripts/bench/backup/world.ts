import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fillSite } from '#scripts/bench/lib/fill-site.ts'
import { must } from '#tests/support/lab/index.ts'
import { morePackages } from '#tests/support/lab/more-packages.ts'
import { BackupHost, SITE } from '#tests/support/system/backup-host.ts'

export const PUBLIC = `/srv/www/${SITE.user}/public`

export interface Measured {
  seconds: number
  /** Of the processor, with that of the database server. */
  cpu: number
}

/** A server with a WordPress of this size: three quarters are files, most of which do not compress. */
export async function startWorld(megabytes: number): Promise<BackupHost> {
  const server = await BackupHost.start('bench')
  const { host } = server
  const debs = await morePackages('trixie', ['zstd'])
  await must(['bash', '-c', `cp ${debs}/zstd_*.deb ${host.root}/root/zstd.deb`])
  await host.must(['dpkg', '--install', '/root/zstd.deb'])
  await fillSite(host, SITE, { megabytes, database: 0.25 })
  // Their jobs would write rows meanwhile.
  await host.must(['rm', '-r', `${PUBLIC}/wp-cron.php`])
  countProcessor(host.netns)
  return server
}

/** Runs a program in a unit of its own. */
export async function measured(
  { host }: BackupHost,
  argv: readonly string[],
): Promise<Measured & { output: string }> {
  await host.must(['sync'])
  const [used, start] = [processorOf(host.netns), performance.now()]
  const output = await host.must(['systemd-run', '--quiet', '--pipe', '--wait', ...argv])
  const seconds = (performance.now() - start) / 1000
  return { seconds, cpu: processorOf(host.netns) - used, output }
}

const groupOf = (name: string) => `/sys/fs/cgroup/cpuacct/${name}`

/** Counts the processor time of a host and of all that it will start, where groups are of version 1. */
function countProcessor(name: string): void {
  if (!existsSync('/sys/fs/cgroup/cpuacct')) return
  mkdirSync(groupOf(name), { recursive: true })
  const members = readFileSync(`/sys/fs/cgroup/cpu/${name}/cgroup.procs`, 'utf8')
  for (const pid of members.trim().split('\n')) {
    writeFileSync(`${groupOf(name)}/cgroup.procs`, pid)
  }
}

/** In seconds, with that of the database server. */
function processorOf(name: string): number {
  if (existsSync(groupOf(name))) {
    return Number(readFileSync(`${groupOf(name)}/cpuacct.usage`, 'utf8')) / 1e9
  }
  const stat = readFileSync(`/sys/fs/cgroup/${name}/cpu.stat`, 'utf8')
  return Number(/^usage_usec (\d+)/m.exec(stat)?.[1]) / 1e6
}

/** The content of all files and rows. */
export async function contentOf({ host }: BackupHost): Promise<string> {
  const sums = 'find . -type f -print0 | sort -z | xargs -0 sha256sum | sha256sum'
  const tables = await host.must(['mariadb', SITE.user, '-Ne', 'SHOW TABLES'])
  const rows = tables
    .trim()
    .split('\n')
    .filter((name) => !name.endsWith('_options'))
  const checksums = `CHECKSUM TABLE ${rows.map((name) => `\`${name}\``).join(', ')} EXTENDED`
  return (
    (await host.must(['bash', '-c', `cd ${PUBLIC} && ${sums}`])) +
    (await host.must(['mariadb', SITE.user, '-Ne', checksums]))
  )
}
