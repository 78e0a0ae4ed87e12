import { expect, test } from 'bun:test'
import { renderCrontab } from '#agent/features/jobs/cron/files.ts'
import { JOB_RUNNER_FILE } from '#agent/features/jobs/cron/job-runner.ts'
import { RECORDER, RECORDER_TEXT, recorderSteps } from '#agent/features/jobs/cron/recorder.ts'
import { listJobRuns } from '#agent/features/jobs/list.ts'
import { jobRunsOf } from '#agent/kernel/site/paths.ts'
import { server, shop } from '#tests/support/agent/debian.ts'

async function direct() {
  const host = await server(shop)
  host.init = 'direct'
  return host
}

test('cron runs the jobs through a recorder, which is installed first', async () => {
  const host = await direct()
  const [step] = await recorderSteps(host)
  const effects = typeof step?.effects === 'function' ? await step.effects() : step?.effects
  expect(effects).toEqual([{ action: 'create', kind: 'file', name: RECORDER }])

  await step?.apply()

  expect(host.disk.all[RECORDER]).toBe(RECORDER_TEXT)
  expect(await recorderSteps(host)).toEqual([])
  expect(renderCrontab(shop)).toContain(
    ` php8.2 -n ${RECORDER} ${jobRunsOf('shop')} timeout -k 10 240 `,
  )
})

test('with systemd, units log through a runner, which provisioning installs', async () => {
  const host = await server(shop)
  expect([host.disk.all[JOB_RUNNER_FILE.path], await recorderSteps(host)]).toEqual([
    JOB_RUNNER_FILE.text,
    [],
  ])

  await host.files.write(JOB_RUNNER_FILE.path, 'Made by Hosting Control in an earlier version')
  await (await recorderSteps(host))[0]?.apply()

  expect(host.disk.all[JOB_RUNNER_FILE.path]).toBe(JOB_RUNNER_FILE.text)
})

test('lists recorded runs with any content, newest first', async () => {
  const host = await direct()
  const at = Date.UTC(2026, 2, 1, 9, 30)
  const record = (fields: object) =>
    JSON.stringify({ at, seconds: 1.5, status: 0, output: '', ...fields })
  const lines = [
    record({ status: 124, output: '\u001b[1mslow\u001b[0m\n' }),
    '{"at":',
    record({ seconds: -1 }),
    record({ at: at + 300_000, status: 1, output: 'x'.repeat(9000) }),
    record({ at: at + 600_000 }),
  ]
  await host.disk.write(jobRunsOf('shop'), `${lines.join('\n')}\n`)

  expect(await listJobRuns(host, 'shop.example')).toEqual([
    {
      ...{ started_at: '2026-03-01T09:40:00.000Z', seconds: 1.5, result: 'success' },
      ...{ exit_status: 0, output: '' },
    },
    {
      ...{ started_at: '2026-03-01T09:35:00.000Z', seconds: 1.5, result: 'failed' },
      ...{ exit_status: 1, output: 'x'.repeat(4096) },
    },
    {
      ...{ started_at: '2026-03-01T09:30:00.000Z', seconds: 1.5, result: 'timed_out' },
      ...{ exit_status: 124, output: 'slow' },
    },
  ])
})

test('has no runs of a site whose jobs have not run', async () => {
  expect(await listJobRuns(await direct(), 'shop.example')).toEqual([])
})
