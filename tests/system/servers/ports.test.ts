// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as lab from '#tests/support/lab/index.ts'
import { CASES } from '#tests/support/port/cases.ts'
import { unless } from '#tests/support/skip.ts'
import { packaged } from '#tests/support/system/packaged.ts'

const MINUTES = 60_000
const PROGRAM = '/usr/local/bin/port-cases'
const SOURCE = join(import.meta.dir, '../../support/port/main.ts')

for (const suite of ['bookworm', 'trixie'] as const) {
  unless(lab.available()).describe(`a real machine with ${suite}`, () => {
    let host: lab.Host
    let answers: unknown[] = []

    beforeAll(async () => {
      const folder = await mkdtemp(join(tmpdir(), 'port-'))
      const file = join(folder, 'port-cases')
      await lab.must([process.execPath, 'build', '--compile', `--outfile=${file}`, SOURCE])
      const options = { name: `port-${suite}`, suite, init: 'systemd' } as const
      host = await lab.startHost({ ...options, image: await packaged(suite) })
      await host.put(PROGRAM, await Bun.file(file).bytes(), 0o755)
      await rm(folder, { recursive: true })
      await host.must(['systemctl', 'start', 'mariadb.service'])
      const lines = (await host.must([PROGRAM])).trim().split('\n')
      answers = lines.map((line) => JSON.parse(line))
    }, 5 * MINUTES)
    afterAll(() => lab.switchDown(), MINUTES)

    test.each(CASES.map(({ title, answer }, at) => [title, answer, at] as const))(
      '%s',
      (_, answer, at) => {
        expect(answers[at]).toEqual(answer)
      },
    )
  })
}
