// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT_HALF } from '#agent/kernel/host/sandbox.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'
import { putRestic } from '#tests/support/storage/restic.ts'

const MINUTES = 60_000
const PROGRAM = '/usr/local/bin/install-restic'
const SOURCE = join(import.meta.dir, '../../support/storage/install-guest.ts')
/** The agent's own, for a program that is not the agent. */
const SANDBOX = ROOT_HALF.map((directive) => `--property=${directive}`)
const STATE = ['--property=StateDirectory=hosting-agent', '--property=StateDirectoryMode=0700']

unless(lab.available()).describe('the restic of an agent', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'restic-'))
    const outfile = `--outfile=${join(folder, 'program')}`
    await lab.must([process.execPath, 'build', '--compile', outfile, SOURCE])
  }, 5 * MINUTES)
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await lab.switchDown()
  }, MINUTES)

  test.each(['bookworm', 'trixie'] as const)('runs on a minimal server with %s', async (suite) => {
    const host = await lab.startHost({ name: `restic-${suite}`, suite, init: 'systemd' })
    await putRestic(host)
    await host.put(PROGRAM, await Bun.file(join(folder, 'program')).bytes(), 0o755)

    const unit = ['systemd-run', '--quiet', '--pipe', '--wait', ...SANDBOX, ...STATE]
    const printed = await host.must([...unit, PROGRAM])

    expect(JSON.parse(printed)).toEqual({
      left: 0,
      version: expect.stringMatching(/^restic 0\.19\.1 compiled with go/),
    })
    const modes = ['stat', '--format', '%U %a %n']
    const listed = await host.must([
      'find',
      '/var/lib/hosting-agent/bin',
      '-exec',
      ...modes,
      '{}',
      '+',
    ])
    expect(listed.trim().split('\n').sort()).toEqual([
      'root 644 /var/lib/hosting-agent/bin/restic.sha256',
      'root 755 /var/lib/hosting-agent/bin',
      'root 755 /var/lib/hosting-agent/bin/restic',
    ])
  })
})
