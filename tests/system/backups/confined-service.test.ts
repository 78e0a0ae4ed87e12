// tier: gate
import { expect, test } from 'bun:test'
import { renderUnit } from '#scripts/install/unit.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'

const PROGRAM = '/opt/hosting-control'
const DATA = '/var/lib/hosting-control'

/** The directives of the service that say what it may do. */
const rights = renderUnit('')
  .split('\n')
  .filter((line) => /^[A-Z]\w*=/.test(line))
  .filter(
    (line) => !/^(Description|Wants|After|StartLimit|Working|Env|Exec|Restart|WantedBy)/.test(line),
  )
  .map((line) => `--property=${line}`)

unless(lab.available()).describe('the service of the dashboard', () => {
  test.each(['bookworm', 'trixie'] as const)(
    'can confine its restic on %s',
    async (suite) => {
      const host = await lab.startHost({ name: `confined-${suite}`, suite, init: 'systemd' })
      await host.must(['cp', '--sparse=never', '/dev/null', PROGRAM])
      await Bun.write(`${host.root}${PROGRAM}`, Bun.file('dist/hosting-control'))
      await host.must(['chmod', '755', PROGRAM])
      await host.must(['useradd', '--system', '--user-group', 'hosting-control'])
      const allowed = {
        runs: ['/bin/sh', '/lib64/ld-linux-x86-64.so.2', '/lib/ld-linux-aarch64.so.1'],
        reads: ['/lib/x86_64-linux-gnu', '/lib/aarch64-linux-gnu'],
        writes: [],
        ports: [53, 443],
        max_data: 2 ** 30,
      }
      const script = `echo started; /usr/bin/id; read text < ${DATA}/records; echo 1 > ${DATA}/new`
      const argv = [PROGRAM, 'confined', JSON.stringify(allowed), '/bin/sh', '-c', script]
      const started = ['systemd-run', '--quiet', '--pipe', '--wait', '--collect']
      const first = [...started, ...rights, '/bin/sh', '-c', `echo 1 > ${DATA}/records`]
      await host.must(first)

      const { stdout, stderr } = await host.exec([...started, ...rights, '--', ...argv])

      expect([stdout, stderr]).toEqual([
        'started\n',
        [
          '/bin/sh: 1: /usr/bin/id: Permission denied',
          `/bin/sh: 1: cannot open ${DATA}/records: Permission denied`,
          `/bin/sh: 1: cannot create ${DATA}/new: Permission denied`,
          '',
        ].join('\n'),
      ])
      await host.remove()
    },
    180_000,
  )
})
