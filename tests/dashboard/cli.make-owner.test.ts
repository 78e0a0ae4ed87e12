import { expect, test } from 'bun:test'
import { runCommand } from '#dashboard/cli.ts'
import { readConfig } from '#dashboard/config.ts'
import { startAccounts } from '#tests/support/dashboard/accounts.ts'
import { type Dashboard, EMAIL } from '#tests/support/dashboard/dashboard.ts'

async function run({ folder }: Pick<Dashboard, 'folder'>, ...argv: string[]) {
  const said = { out: '', err: '' }
  const env = { DATA_DIR: folder, DATABASE_URL: `file:${folder}/test.db` }
  const status = await runCommand(['make-owner', ...argv], () => readConfig(env), {
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

const refused = (err: string, status = 1) => ({ status, out: '', err: `${err}\n` })

test('the command makes a deactivated account an owner in use, recorded and announced', async () => {
  await using accounts = await startAccounts()
  const { dashboard } = accounts
  const anna = await accounts.colleague('Anna', { role: 'viewer' })
  await accounts.call('POST', `/api/people/${anna.person_id}/account/deactivate`)

  const answer = await run(dashboard, anna.email.toUpperCase())

  expect(answer).toEqual({
    status: 0,
    out: `${anna.email} is an owner of this dashboard\nthe activity and the overview of the dashboard report it\n`,
    err: '',
  })
  const { people } = (await accounts.call('GET', '/api/people')).body
  const shown = people.find(({ id }: { id: number }) => id === anna.person_id)
  expect(shown.account).toMatchObject({ role: 'owner', state: 'active' })
  const owner = await accounts.logIn(anna.email)
  expect((await dashboard.call('GET', '/api/auth/rights', undefined, owner)).body.role).toBe(
    'owner',
  )
  const { activities } = (await accounts.call('GET', '/api/fleet/activity')).body
  const entry = activities.find(({ type }: { type: string }) => type === 'account.make_owner')
  expect(entry).toMatchObject({
    status: 'success',
    actor: null,
    detail: `${anna.email}: viewer → owner, by a command on its machine`,
  })
  const { attention } = (await accounts.call('GET', '/api/fleet')).body
  expect(attention.find(({ kind }: { kind: string }) => kind === 'owner_made')).toMatchObject({
    severity: 'critical',
    total: 1,
    items: [{ name: anna.email, at: entry.created_at }],
  })
})

test('the command is refused in one line', async () => {
  await using accounts = await startAccounts()
  const { dashboard } = accounts
  await accounts.call('POST', '/api/service-accounts', { name: 'robot', role: 'viewer' })
  const unknown = (email: string) =>
    `There is no account ${email}, or it was changed outside of the dashboard: see hosting-control check`

  expect(await run(dashboard)).toEqual(
    refused('The e-mail address of the account is missing: see --help', 2),
  )
  expect(await run(dashboard, EMAIL, EMAIL)).toEqual(
    refused('make-owner takes one address: see --help', 2),
  )
  expect(await run(dashboard, EMAIL)).toEqual(refused(`${EMAIL} is an owner already`))
  expect(await run(dashboard, 'robot')).toEqual(refused(unknown('robot')))
  expect(await run(dashboard, 'eve@example.com')).toEqual(refused(unknown('eve@example.com')))
})
