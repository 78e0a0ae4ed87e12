// tier: gate
import { expect, test } from 'bun:test'
import { useShop } from '#tests/support/browser/fleet.ts'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'
import { ANNA, ANNA_FINGERPRINT, BEN, BEN_FINGERPRINT } from '#tests/support/ssh-keys.ts'

const FINGERPRINTS: Record<string, string> = { [ANNA]: ANNA_FINGERPRINT, [BEN]: BEN_FINGERPRINT }

interface Grant {
  id: number
  person: string
  kind: 'sftp' | 'shell'
  expires_at: string | null
  keys: string[]
}

const { agent, dashboard, open } = useShop()
const domain = 'shop.example'
const asked: Grant[][] = []
const path = '/sites/1'

agent.works.set('site.access', async function* (params) {
  const { grants } = params as unknown as { grants: Grant[] }
  asked.push(grants)
  yield 'Writing the keys of people'
  const host_keys = [{ type: 'ssh-ed25519', fingerprint: BEN_FINGERPRINT }]
  const found = grants.map(({ id, kind, expires_at, keys }) => ({
    ...{ id, kind, expires_at },
    fingerprints: keys.map((key) => FINGERPRINTS[key] ?? ''),
  }))
  agent.access = [{ domain, grants: found, clients: [] }]
  return {
    ...{ domain, user: 'shop', ports: [2222], host_keys },
    shell_user: grants.some(({ kind }) => kind === 'shell') ? 'shop.ssh' : null,
    grants: found,
  }
})
const session = {
  ...{ id: '10-1', at: '2026-01-01T12:00:00.000Z', address: '203.0.113.7', kind: 'sftp' },
  ...{ fingerprint: ANNA_FINGERPRINT, client: null },
}
const openSessions: (typeof session)[] = []
agent.answers.set('/sites/sessions', () => Response.json({ sessions: openSessions }))
agent.answers.set('/sites/sessions/end', () =>
  Response.json({ session: openSessions.splice(0, 1)[0] }),
)
agent.plan = { steps: [{ name: 'keys', title: 'Writing the keys of people', effects: [] }] }

test('a person gets a key, access to a site until a day, and loses it everywhere', async () => {
  const { page, problems } = await open('/people')
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const confirm = async (name: string) => {
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }

  await press('Add person')
  await page.getByLabel('Name').fill('Anna Weber')
  await confirm('Add person')
  await press('Add key of Anna Weber')
  await page.getByLabel('Public key').fill(`command="id" ${ANNA}`)
  await page.getByText('Must begin with one of').waitFor()
  await page.getByLabel('Public key').fill(`${ANNA} anna@home`)
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Add key')
  await page.getByText(ANNA_FINGERPRINT).waitFor()
  expect(await inspect(page)).toEqual(CLEAN)

  await page.goto(new URL(`${path}?tab=access`, page.url()).href)
  await page.getByText('Nobody can log in by SFTP').waitFor()
  await press('Change SFTP access')
  await page.getByLabel('Anna Weber').check()
  await page.getByLabel('Last day of Anna Weber').fill('2099-12-31')
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Save access')
  await page.getByText('sftp -P 2222 shop@127.0.0.1').waitFor()
  await page.getByText('can log in', { exact: true }).waitFor()
  expect(await inspect(page)).toEqual(CLEAN)
  await page.getByText('Nobody is connected').waitFor()
  openSessions.push(session)
  await page.reload()
  const who = `Anna Weber, key ${ANNA_FINGERPRINT}`
  await press(`End session of ${who}`)
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('End session')
  await page.getByText('Nobody is connected').waitFor()
  const end = new Date('2099-12-31T23:59:59').toISOString()
  const anna = { id: 2, person: 'Anna Weber', kind: 'sftp' as const, expires_at: end }
  expect(asked).toEqual([[{ ...anna, keys: [ANNA] }]])

  const set = `/api${path.replace('/sites/', '/servers/1/sites/')}/access`
  const noon = '2099-12-31T12:00:00Z'
  await dashboard.client().put(set, { grants: [{ person_id: 2, expires_at: noon }] })
  await page.reload()
  await press('Change SFTP access')
  await confirm('Save access')
  await page.getByText('can log in', { exact: true }).waitFor()
  expect(asked.slice(1)).toEqual([1, 2].map(() => [{ ...anna, expires_at: noon, keys: [ANNA] }]))

  await press('Change SFTP access')
  await page.getByText('Turned off in the settings.').waitFor()
  expect(await page.getByLabel('Shell for Anna Weber').isDisabled()).toBe(true)
  await dashboard.client().put('/api/settings/site_shell', { value: true })
  await page.reload()
  await press('Change SFTP access')
  await page.getByLabel('Shell for Anna Weber').check()
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Save access')
  await page.getByText('ssh -p 2222 shop.ssh@127.0.0.1').waitFor()
  await page.getByText('SFTP and shell').waitFor()
  expect(await inspect(page)).toEqual(CLEAN)
  const shell = { ...anna, kind: 'shell' as const }
  expect(asked.at(-1)).toEqual([{ ...shell, expires_at: noon, keys: [ANNA] }])

  await dashboard.client().post('/api/people/2/keys', { key: BEN })
  await page.reload()
  await press('Update keys')
  await confirm('Update keys')
  await page.getByText('can log in', { exact: true }).waitFor()
  expect(asked.at(-1)).toEqual([{ ...shell, expires_at: noon, keys: [ANNA, BEN] }])

  await page.goto(new URL('/people', page.url()).href)
  await press('Remove from all sites: Anna Weber')
  await page.getByRole('dialog').getByRole('button', { name: 'Remove access' }).click()
  await page.waitForURL(/\/operations\/bulk\//)
  await page.goto(new URL('/people', page.url()).href)
  await page.getByText('Anna Weber has no access to a site').waitFor()
  await press('Remove Anna Weber')
  await confirm('Remove person')
  await page.getByRole('heading', { name: 'Anna Weber' }).waitFor({ state: 'detached' })
  expect(asked.at(-1)).toEqual([])
  expect(problems).toEqual([])
})
