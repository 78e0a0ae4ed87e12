import { expect, test } from 'bun:test'
import { runProgram } from '#dashboard/features/backups/off-site/run-program.ts'

const shell = (script: string, stall_ms?: number) =>
  runProgram(['sh', '-c', script], stall_ms === undefined ? {} : { stall_ms })

test('a program runs behind all others, with bounded memory', async () => {
  const { stdout } = await shell('nice; ionice; ulimit -d; ulimit -c')

  expect(stdout).toBe('19\nidle\n1048576\n0\n')
})

test('a program without progress is ended, whatever its clock says', async () => {
  const status = `printf '{"seconds_elapsed":%s,"bytes_done":1}\\n'`

  const outcome = await shell(`for n in 1 2 3 4 5 6 7 8 9; do ${status} $n; sleep 0.1; done`, 250)

  expect([outcome.code, outcome.stalled]).toEqual([137, true])
})

test('a program with progress may take longer', async () => {
  const outcome = await shell('for n in 1 2 3 4 5; do echo $n; sleep 0.25; done; exit 3', 1000)

  expect(outcome).toEqual({ code: 3, stdout: '1\n2\n3\n4\n5\n', stderr: '', stalled: false })
})
