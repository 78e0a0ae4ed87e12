import { expect, test } from 'bun:test'
import { INSIDE, STARTED } from '#agent/host/root-programs.ts'
import type { Enrolled } from './enrolled.ts'
import { MINUTES } from './world.ts'

const WRITABLE = [
  ...['/etc', '/srv', '/srv/www', '/var', '/var/lib/hosting-agent', '/run', '/run/lock'],
  ...['/usr/local/bin', '/tmp', '/var/tmp', '/dev/shm'],
]
const OTHERS = [
  ...['/usr/bin/perl', '/bin/sh', '/usr/bin/bash', '/usr/bin/dd', '/usr/sbin/logrotate'],
  '/usr/lib/systemd/systemd-journald',
]
/** Those that a provisioned server of these tests does not have. */
const MISSING = /^\/usr\/sbin\/(sshd|php-fpm\d\.\d|nscd|sss_cache)$|^\/usr\/bin\/ssh-keygen$/

/** What the working half of an agent may execute, on a provisioned server without sites. */
export function executesItsTable(getWorld: () => Enrolled): void {
  const inside = async () => {
    const { host } = getWorld()
    const show = ['systemctl', 'show', '--property=MainPID', '--value', 'hosting-agent.service']
    const pid = (await host.must(show)).trim()
    const refused = async (path: string) => {
      const { stderr } = await host.exec(['nsenter', `--target=${pid}`, '--mount', path, '--help'])
      return /failed to execute .*: Permission denied/.test(stderr)
    }
    return { host, pid, refused }
  }

  test(
    'the working half executes no program but those of its table',
    async () => {
      const { host, pid, refused } = await inside()
      const drafts = WRITABLE.map((folder) => `${folder}/hosting-draft`)
      for (const path of drafts) await host.must(['cp', '/usr/bin/id', `/proc/${pid}/root${path}`])
      const ran: string[] = []
      for (const path of [...drafts, ...OTHERS]) if (!(await refused(path))) ran.push(path)
      for (const path of drafts) await host.must(['rm', `/proc/${pid}/root${path}`])

      expect(ran).toEqual([])
    },
    MINUTES,
  )

  test(
    'a package may replace every one of these programs, and those that they start',
    async () => {
      const { host, refused } = await inside()
      const withheld: string[] = []
      const all = [...Object.values(INSIDE), ...Object.values(STARTED).flat()]
      for (const path of new Set(all)) {
        if ((await host.exec(['test', '-e', path])).code !== 0) {
          expect(path).toMatch(MISSING)
          continue
        }
        const real = (await host.must(['realpath', path])).trim()
        if ((await host.exec(['test', '-d', real])).code === 0) continue
        await host.must(['cp', '--preserve=mode', real, `${real}.dpkg-new`])
        await host.must(['mv', `${real}.dpkg-new`, real])
        if (await refused(path)) withheld.push(path)
      }
      expect(withheld).toContain('/usr/bin/systemd-run')
      expect(withheld).toContain('/usr/bin/systemctl')
      expect(withheld).toContain('/usr/sbin/useradd')
      expect(withheld).toContain('/usr/bin/env')
      expect(withheld).toContain('/usr/bin/gzip')
    },
    MINUTES,
  )
}
