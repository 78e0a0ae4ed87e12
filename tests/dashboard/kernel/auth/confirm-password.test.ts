import { expect, test } from 'bun:test'
import { createApiToken } from '#dashboard/kernel/auth/api-tokens.ts'
import { changePassword } from '#dashboard/kernel/auth/change-password.ts'
import { changeProfile } from '#dashboard/kernel/auth/change-profile.ts'
import { findCaller } from '#dashboard/kernel/auth/sessions.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { type Dashboard, makeDashboard, PASSWORD } from '#tests/support/dashboard/dashboard.ts'

const NEW = 'a password of the thief'
const OWN = 'a password of the victim'

/** What the holder of a stolen session and password asks for. */
const CHANGES = {
  'a password': (deps: Dashboard['deps'], caller: Caller) =>
    changePassword(deps, caller, {
      current_password: new Secret(PASSWORD),
      password: new Secret(NEW),
      end_tokens: false,
    }),
  'an e-mail address': (deps: Dashboard['deps'], caller: Caller) =>
    changeProfile(deps, caller, { email: 'thief@control.example', password: new Secret(PASSWORD) }),
  'an API token': (deps: Dashboard['deps'], caller: Caller) =>
    createApiToken(deps, caller, {
      ...{ name: 'script', scope: 'read', expires_in_days: 1, addresses: null, only_for: null },
      password: new Secret(PASSWORD),
    }),
} as const

type Caller = NonNullable<Awaited<ReturnType<typeof findCaller>>>['caller']

/** What the victim does while the check of the password waits for others. */
const ENDS = {
  'another password': (dashboard: Dashboard) =>
    dashboard.call('POST', '/api/auth/password', { current_password: PASSWORD, password: OWN }),
  'the end of all sessions': (dashboard: Dashboard) =>
    dashboard.call('POST', '/api/auth/logout-everywhere'),
} as const

const CASES = Object.keys(CHANGES).flatMap((change) =>
  Object.keys(ENDS).map((end) => [change, end] as const),
) as [keyof typeof CHANGES, keyof typeof ENDS][]

test.each(CASES)('%s is not stored after %s, which came during the check', async (change, end) => {
  await using dashboard = await makeDashboard()
  const { deps } = dashboard
  const stolen = dashboard.token
  const found = await findCaller(deps, stolen)
  if (!found) throw new Error('There is no session')
  await dashboard.signIn()
  const passwords = {
    hash: (password: Secret) => deps.passwords.hash(password),
    verify: async (...given: Parameters<typeof deps.passwords.verify>) => {
      const isRight = await deps.passwords.verify(...given)
      expect((await ENDS[end](dashboard)).status).toBe(204)
      return isRight
    },
  } as typeof deps.passwords

  const changed = CHANGES[change]({ ...deps, passwords }, found.caller)

  expect(changed).rejects.toMatchObject({ status: 409, refusal: 'changed_meanwhile' })
  await dashboard.signIn()
  expect((await dashboard.call('GET', '/api/auth/tokens')).body.tokens).toEqual([])
  expect((await dashboard.call('GET', '/api/auth/me')).body.user.email).toBe(
    found.caller.user.email,
  )
})
