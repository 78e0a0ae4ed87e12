// tier: full
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { outside } from '#agent/kernel/host/real/unconfined.ts'
import { ANYTHING } from '#agent/kernel/host/root-programs.ts'
import * as lab from '#tests/support/lab/index.ts'
import { unless } from '#tests/support/skip.ts'

const MINUTES = 60_000
const UNIT = 'hosting-stopped.service'
const RELOADS = 'for n in $(seq 60); do systemctl daemon-reload || echo failed; done'

/** A program outside of the sandbox, as the agent starts it, in a unit with a name of ours. */
function startOf(argv: readonly string[]): string[] {
  const [[program = '', ...args]] = outside(argv, { unconfined: true, starts: ANYTHING })
  return [program, `--unit=${UNIT}`, ...args]
}

for (const suite of ['bookworm', 'trixie'] as const) {
  unless(lab.available()).describe(`a program outside of the sandbox on ${suite}`, () => {
    let host: lab.Host
    beforeAll(async () => {
      host = await lab.startHost({ name: `stopped-${suite}`, suite, init: 'systemd' })
    }, 5 * MINUTES)
    afterAll(() => lab.switchDown(), MINUTES)

    const run = async (script: string) => {
      const { code, stdout, stderr } = await host.exec(startOf(['/bin/sh', '-c', script]))
      return { code, stdout, stderr }
    }

    test('ends with its own status, and with its own output', async () => {
      const good = await run('echo said; exit 0')
      const bad = await run('echo complained >&2; exit 100')
      const { code: missing } = await host.exec(startOf(['/usr/bin/no-such-program']))

      expect([good, bad, missing]).toEqual([
        { code: 0, stdout: 'said\n', stderr: '' },
        { code: 100, stdout: '', stderr: 'complained\n' },
        127,
      ])
    })

    test('keeps its words, output and status while systemd reads its units again', async () => {
      const words = ['$HOME', 'a$HOME', '$$', '%n', '"a b"', "it's", 'a\\tb', ';', 'two\nlines']
      const storm = host.exec(['sh', '-c', RELOADS])
      let isOver = false
      void storm.then(() => {
        isOver = true
      })
      const seen = new Set<string>()
      while (!isOver) {
        const { code, stdout } = await host.exec(startOf(['/usr/bin/printf', '%s\\0', ...words]))
        seen.add(JSON.stringify([code, stdout]))
      }

      expect([...seen]).toEqual([JSON.stringify([0, words.map((word) => `${word}\0`).join('')])])
      expect((await storm).stdout).toBe('')
    })

    test.each(['HUP', 'INT', 'TERM', 'KILL'])('has failed after SIG%s', async (signal) => {
      const { code, stdout } = await run(`echo begun; kill -${signal} $$; sleep 60`)

      expect([stdout, code !== 0]).toEqual(['begun\n', true])
    })

    test('has failed when systemd stops it, and gets SIGTERM before SIGKILL', async () => {
      const running = run(
        'trap "echo told; trap - TERM; kill $$" TERM; touch /root/ready; sleep 60 & wait',
      )
      const ready = async () => (await host.exec(['test', '-e', '/root/ready'])).code === 0
      expect(await lab.poll(ready)).toBe(true)

      await host.must(['systemctl', 'stop', UNIT])

      const { code, stdout } = await running
      expect([stdout, code !== 0]).toEqual(['told\n', true])
    })
  })
}
