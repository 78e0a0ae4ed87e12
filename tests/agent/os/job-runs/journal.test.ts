import { expect, test } from 'bun:test'
import { listJobRuns } from '#agent/os/job-runs/list.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

const UNIT = 'hosting-cron@shop.service'
const AT = Date.UTC(2026, 2, 1, 9, 30)
const STARTING = '7d4958e842da4a758f6c1cdc7b36dcc5'
const FINISHED = '39f53479d3a045ac8e11786248231fbf'
const FAILED = 'd9b373ed55a64feb8242e02dbe79a49c'
const EXITED = '98e322203f7a4ed290d09fe03c09fe15'

const entry = (seconds: number, fields: object) =>
  JSON.stringify({ __REALTIME_TIMESTAMP: String((AT + seconds * 1000) * 1000), ...fields })
const report = (run: string, seconds: number, MESSAGE_ID: string, more = {}) =>
  entry(seconds, { MESSAGE_ID, INVOCATION_ID: run, MESSAGE: 'of systemd', ...more })
const line = (run: string, MESSAGE: unknown) => entry(1, { _SYSTEMD_INVOCATION_ID: run, MESSAGE })

async function withJournal(reports: string[], lines: string[]) {
  const host = await server(shop)
  const { run } = host.shell
  host.shell.run = async (argv, options) => {
    const output = await run(argv, options)
    if (argv[0] !== 'journalctl') return output
    const stdout = argv.includes('_PID=1') ? reports : lines
    return { ...output, stdout: `${stdout.join('\n')}\n` }
  }
  return host
}

test('lists time, result and output of each run, newest first', async () => {
  const host = await withJournal(
    [
      report('gone', -5, FINISHED),
      report('a', 0, STARTING),
      report('a', 2.5, FINISHED),
      report('b', 300, STARTING),
      report('b', 303, EXITED, { EXIT_CODE: 'exited', EXIT_STATUS: '3' }),
      report('b', 303, FAILED, { UNIT_RESULT: 'exit-code' }),
      report('c', 600, STARTING),
      report('c', 840, FAILED, { UNIT_RESULT: 'timeout' }),
      report('d', 900, STARTING),
      report('d', 901, FAILED, { UNIT_RESULT: 'oom-kill' }),
      report('e', 1200, STARTING),
    ],
    [line('b', 'Error: \u001b[31mno room\u001b[0m'), line('b', 'the end'), line('x', 'of nobody')],
  )

  const runs = await listJobRuns(host, 'shop.example')

  const at = (seconds: number) => new Date(AT + seconds * 1000).toISOString()
  const none = { exit_status: null, output: '' }
  expect(runs).toEqual([
    { ...none, started_at: at(1200), seconds: null, result: 'running' },
    { ...none, started_at: at(900), seconds: 1, result: 'killed' },
    { ...none, started_at: at(600), seconds: 240, result: 'timed_out' },
    {
      ...{ started_at: at(300), seconds: 3, result: 'failed' },
      ...{ exit_status: 3, output: 'Error: no room\nthe end' },
    },
    { started_at: at(0), seconds: 2.5, result: 'success', exit_status: 0, output: '' },
  ])
})

test('reads what systemd wrote about the unit, with a limit of lines', async () => {
  const host = await withJournal([], [])

  expect(await listJobRuns(host, 'shop.example')).toEqual([])

  const asked = host.ran.filter((one) => one.startsWith('journalctl'))
  expect(asked).toEqual([
    expect.stringMatching(new RegExp(` --lines=120 .* _PID=1 UNIT=${UNIT}$`)),
    expect.stringMatching(new RegExp(` --lines=400 .* _SYSTEMD_UNIT=${UNIT}$`)),
  ])
})

test('reads any content that a site writes to the journal', async () => {
  const bytes = [...Buffer.from('caf\u00e9')]
  const reports = [report('a', 0, STARTING), '{', '[]', 'null', report('a', 1, FINISHED)]
  const host = await withJournal(reports, [
    line('a', null),
    line('a', bytes),
    line('a', ['one', 'two']),
    line('a', 'x'.repeat(9000)),
    '{"MESSAGE":1}',
  ])

  const [run] = await listJobRuns(host, 'shop.example')

  expect(run?.output).toHaveLength(4096)
  expect(run?.output).toEndWith('xxx')
})

test('has no jobs of a discovered site', async () => {
  const host = await server()

  await expect(listJobRuns(host, 'shop.example')).rejects.toThrow('Site shop.example not found')
})
