// tier: gate
import { expect, test } from 'bun:test'
import { useShop } from '#tests/support/browser/fleet.ts'
import { CLEAN, inspect } from '#tests/support/browser/inspect.ts'
import { BEN_FINGERPRINT } from '#tests/support/ssh-keys.ts'

interface Client {
  token: string
  label: string
  expires_at: string | null
  password_hash: string
}

const { agent, dashboard, open } = useShop()
const domain = 'shop.example'
const asked: Client[][] = []
const path = '/sites/1'

agent.works.set('site.access', async function* (params) {
  const { clients } = params as unknown as { clients: Client[] }
  asked.push(clients)
  yield 'Setting the passwords of client accounts'
  const host_keys = [{ type: 'ssh-ed25519', fingerprint: BEN_FINGERPRINT }]
  const access = {
    grants: [],
    clients: clients.map(({ token, expires_at }) => ({
      ...{ token, login: `shop.${token}`, expires_at },
    })),
  }
  agent.access = [{ domain, ...access }]
  return { domain, user: 'shop', shell_user: null, ports: [2222], host_keys, ...access }
})

test('a client gets a password that is shown once, another one, and loses the account', async () => {
  const { page, problems } = await open(`${path}?tab=access`)
  const press = (name: string) => page.getByRole('button', { name, exact: true }).click()
  const confirm = async (name: string) => {
    await page.getByRole('dialog').getByRole('button', { name, exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
  }
  await page.getByText('The setting for SFTP accounts with a password is off').waitFor()
  expect(await page.getByRole('button', { name: 'Create client account' }).count()).toBe(0)
  await page.goto(new URL('/settings', page.url()).href)
  const setting = page.getByLabel('Client accounts')
  await setting.click()
  await setting.and(page.locator(':checked')).waitFor()
  await page.goto(new URL(`${path}?tab=access`, page.url()).href)

  await press('Create client account')
  await page.getByLabel('Client', { exact: true }).fill('Print shop')
  await page.getByLabel('Last day').fill('2099-12-31')
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Create account')

  const login = page.getByRole('region', { name: 'Login of Print shop' })
  await login.waitFor()
  expect(await inspect(page)).toEqual(CLEAN)
  const end = new Date('2099-12-31T23:59:59').toISOString()
  const [[client] = []] = asked
  expect(client).toMatchObject({ label: 'Print shop', expires_at: end })
  const secret = async () => (await login.locator('code').first().textContent()) ?? ''
  const first = await secret()
  expect(await Bun.password.verify(first, client?.password_hash ?? '')).toBe(true)
  await login.getByText(`sftp -P 2222 shop.${client?.token}@127.0.0.1`).waitFor()
  await login.getByRole('button', { name: 'Hide password' }).click()
  await page.getByText('can log in', { exact: true }).waitFor()
  expect(await page.content()).not.toContain(first)

  await press('Reset password of Print shop')
  expect(await page.getByLabel('Last day').inputValue()).toBe('2099-12-31')
  await page.getByLabel('Last day').fill('')
  await confirm('Reset password')
  await login.waitFor()
  const second = await secret()
  expect(second).not.toBe(first)
  const again = asked.at(-1)?.[0]
  expect([again?.token, again?.expires_at]).toEqual([client?.token ?? '', null])
  expect(await Bun.password.verify(second, again?.password_hash ?? '')).toBe(true)

  await page.reload()
  await page.getByText('no limit').waitFor()
  expect(await page.content()).not.toContain(second)
  await press('Remove Print shop')
  expect(await inspect(page)).toEqual(CLEAN)
  await confirm('Remove account')
  await page.getByText('No client accounts').waitFor()
  expect(asked.at(-1)).toEqual([])
  expect(problems).toEqual([])
})

test('the client accounts of selected sites are removed together', async () => {
  await dashboard.client().put('/api/settings/client_accounts', { value: true })
  const at = `/api${path.replace('/sites/', '/servers/1/sites/')}/access/clients`
  await dashboard.client().post(at, { label: 'Photos' })
  expect(asked.at(-1)).toMatchObject([{ label: 'Photos' }])
  const { page, problems } = await open('/sites')

  await page.getByLabel(`Select ${domain}`).check()
  await page.getByRole('button', { name: 'More', exact: true }).click()
  await page.getByRole('menuitem', { name: 'Remove client accounts' }).click()
  await page.getByRole('dialog').getByLabel('Client accounts').selectOption('all')
  expect(await inspect(page)).toEqual(CLEAN)
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Remove client accounts: / })
    .click()
  await page.waitForURL(/\/operations\/bulk\//)
  await page.goto(new URL(`${path}?tab=access`, page.url()).href)

  await page.getByText('No client accounts').waitFor()
  expect(asked.at(-1)).toEqual([])
  expect(problems).toEqual([])
})
