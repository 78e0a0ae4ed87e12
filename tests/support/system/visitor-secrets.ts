import { expect } from 'bun:test'
import { constants, privateDecrypt, publicEncrypt } from 'node:crypto'
import { kit } from '#tests/support/agent/backup.ts'
import { settles } from '#tests/support/lab/wait.ts'
import { ADMIN, endOf } from './dashboard.ts'
import { get } from './requests.ts'
import type { World } from './world.ts'

const OAEP = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
const STAGING = 'staging.shop.example.test'

interface Access {
  user: string
  password: string
}

/**
 * Passwords of visitors and tokens of logins, each of which is used once. Only the answers that are not
 * looked at have them.
 */
export async function visitorSecrets(
  world: World,
  site: { id: number; domain: string },
): Promise<string[]> {
  const { dashboard, host } = world
  const at = (id: number, below: string) => world.path(`/sites/${id}${below}`)
  const call = async (method: string, path: string, body?: object) => {
    const answer = await dashboard.call(method, path, body)
    expect([path, answer.status < 300, answer.body.message]).toEqual([path, true, undefined])
    return answer
  }
  const visit = async (domain: string, { user, password }: Access) => {
    const options = ['--user', `${user}:${password}`]
    const isLetIn = async () => {
      const answer = await get(host, `http://${domain}/`, { options }).catch(() => undefined)
      return answer?.status === 200
    }
    expect(await settles(isLetIn)).toBe(true)
  }

  const cloned = await call('POST', world.path('/sites/clone'), {
    ...{ domain: STAGING, staging: true, tls: 'none' },
    from: { kind: 'site', site_id: site.id },
  })
  expect((await endOf(dashboard, cloned)).event).toBe('complete')
  const staging = (cloned.body.site as { id: number }).id
  const show = async (id: number, of: string) =>
    (await call('POST', at(id, `/${of}`))).body as unknown as Access
  const former = await show(staging, 'staging-password')
  await visit(STAGING, former)
  const changed = await show(staging, 'staging-password/change')
  await visit(STAGING, changed)

  const protect = { basic_auth: { user: 'client' } }
  await dashboard.stream('PATCH', at(site.id, '/settings'), protect)
  const visitor = await show(site.id, 'visitor-password')
  await visit(site.domain, visitor)
  await dashboard.stream('PATCH', at(site.id, '/settings'), { basic_auth: null })

  await call('POST', '/api/auth/confirm', { password: ADMIN.password })
  const login = await call('POST', at(site.id, '/wordpress-login'), {})
  const { url, token } = login.body as { url: string; token: string }
  const entered = await get(host, url, { options: ['--data', `token=${token}`] })
  expect(entered.status).toBe(303)

  const sent = [former, changed, visitor].flatMap(({ user, password }) => [
    ...[password, `${user}:${password}`],
  ])
  return [...sent, token]
}

/** Has the dashboard record its own backups again, as a new dashboard does it with the kit. */
export async function adoptAgain(
  call: (method: string, path: string, body?: object) => Promise<Record<string, unknown>>,
  world: World,
  wanted: { target_id: number; repository: string },
): Promise<void> {
  const { target_id, repository } = wanted
  const search = { target_id, repositories: [repository] }
  const found = await call('POST', world.path('/backup-search'), search)
  const [{ keys = [] } = {}] = found.repositories as { keys: { sealed: string }[] }[]
  const key = String(found.dashboard_key)
  const sealed_passwords = keys.map(({ sealed }) => {
    const opened = privateDecrypt({ key: kit.privateKey, ...OAEP }, Buffer.from(sealed, 'base64'))
    return publicEncrypt({ key, ...OAEP }, opened).toString('base64')
  })
  const adopted = await call('POST', world.path('/backup-adopt'), { ...wanted, sealed_passwords })
  expect(adopted).toMatchObject({ repository, added: 0 })
}
