import { expect, test } from 'bun:test'
import { runCommand } from '#dashboard/cli.ts'
import { readConfig } from '#dashboard/config.ts'
import { EMAIL, makeDashboard } from '#tests/support/dashboard/dashboard.ts'

async function run(env: Record<string, string>, ...argv: string[]) {
  const said = { out: '', err: '' }
  const status = await runCommand(argv, () => readConfig(env), {
    out: (text) => {
      said.out += text
    },
    err: (text) => {
      said.err += text
    },
    read: async () => '',
  })
  return { status, ...said }
}

test.each([
  [
    { PUBLIC_URL: 'https://control.example' },
    `set a new password for ${EMAIL} at\nhttps://control.example`,
  ],
  [{}, `set a new password for ${EMAIL} at this address of the dashboard:\n`],
])('reset-password with %j prints a link that works once', async (env, said) => {
  await using dashboard = await makeDashboard()
  const DATABASE_URL = `file:${dashboard.folder}/test.db`
  const records = { DATA_DIR: dashboard.folder, DATABASE_URL, ...env }

  const { status, out, err } = await run(records, 'reset-password', EMAIL.toUpperCase())

  const [, token = ''] = /\/reset#([\w-]{43})\n/.exec(out) ?? []
  expect([status, err, out]).toEqual([
    0,
    '',
    `${said}/reset#${token}\nit is valid for an hour, once, and ends the previous link\n`,
  ])
  const body = { token, password: 'another long password' }
  const confirm = async () => (await dashboard.call('POST', '/api/auth/reset/confirm', body)).status
  expect([await confirm(), await confirm()]).toEqual([204, 422])
})

test('reset-password is recorded', async () => {
  await using dashboard = await makeDashboard()
  const DATABASE_URL = `file:${dashboard.folder}/test.db`
  await run({ DATA_DIR: dashboard.folder, DATABASE_URL }, 'reset-password', EMAIL)

  const { activities } = (await dashboard.call('GET', '/api/fleet/activity?limit=1')).body

  expect(activities[0]).toMatchObject({
    type: 'auth.reset_request',
    detail: 'by a command on its machine',
  })
})

test('reset-password for an unknown account says so', async () => {
  await using dashboard = await makeDashboard()
  const DATABASE_URL = `file:${dashboard.folder}/test.db`

  expect(
    await run({ DATA_DIR: dashboard.folder, DATABASE_URL }, 'reset-password', 'x@control.example'),
  ).toEqual({
    status: 1,
    out: '',
    err: 'There is no account x@control.example, or it was changed outside of the dashboard: see hosting-control check\n',
  })
})
