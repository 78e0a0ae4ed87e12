import { describe, expect, spyOn } from 'bun:test'
import { Devices } from '#dashboard/kernel/auth/devices.ts'
import { Throttle } from '#dashboard/kernel/auth/throttle.ts'
import { secureRandom } from '#dashboard/kernel/runtime/random.ts'
import { Secret } from '#shared/kernel/secret.ts'
import { HeldClock } from '#tests/support/dashboard/clock.ts'
import { EMAIL, PASSWORD, dashboardTest as test } from '#tests/support/dashboard/dashboard.ts'

const right = { email: EMAIL, password: PASSWORD }
const wrong = { email: EMAIL, password: 'guess' }
const DAY_MS = 24 * 3600_000

describe('the throttle', () => {
  const guess = (throttle: Throttle, address: string, account = 'ann') =>
    throttle.login(account, { address, device: undefined })

  test('delays the logins of an account more with each failure from any address, and refuses none', () => {
    const throttle = new Throttle(new HeldClock())
    const delays = Array.from(
      { length: 13 },
      (_, turn) => guess(throttle, `192.0.2.${turn}`).delay_ms,
    )

    expect(delays).toEqual([0, 0, 0, 0, 0, 250, 500, 1000, 2000, 4000, 8000, 10_000, 10_000])
    expect(guess(throttle, '192.0.2.99', 'bob').delay_ms).toBe(0)
  })

  test('refuses the sixth failure of an account from one address, and no other address', () => {
    const clock = new HeldClock()
    const throttle = new Throttle(clock)
    for (let turn = 0; turn < 5; turn++) guess(throttle, '192.0.2.1')

    expect(() => guess(throttle, '192.0.2.1')).toThrow('Too many failed attempts')
    guess(throttle, '192.0.2.2').succeed()
    clock.move(15 * 60_000)
    guess(throttle, '192.0.2.1').succeed()
  })

  test('refuses the twenty-first failure of an address for any accounts', () => {
    const throttle = new Throttle(new HeldClock())
    for (let turn = 0; turn < 20; turn++) guess(throttle, '192.0.2.1', `account ${turn}`)

    expect(() => guess(throttle, '192.0.2.1', 'another')).toThrow('Too many failed attempts')
  })

  test('counts a known device separately', () => {
    const throttle = new Throttle(new HeldClock())
    const here = '192.0.2.1'
    for (let turn = 0; turn < 20; turn++) guess(throttle, here, `account ${turn % 4}`)
    for (let turn = 0; turn < 50; turn++) guess(throttle, `198.51.100.${turn}`)
    const known = () => throttle.login('ann', { address: here, device: 'laptop' })

    const attempts = Array.from({ length: 5 }, () => known().delay_ms)

    expect(attempts).toEqual([0, 0, 0, 0, 0])
    expect(known).toThrow('Too many failed attempts')
  })

  test('does not count withdrawn attempts', () => {
    const throttle = new Throttle(new HeldClock())

    for (let turn = 0; turn < 100; turn++) guess(throttle, '192.0.2.1').withdraw()

    expect(guess(throttle, '192.0.2.1').delay_ms).toBe(0)
  })

  test('counts the checks of each session and each kind separately', () => {
    const throttle = new Throttle(new HeldClock())
    for (let turn = 0; turn < 5; turn++) throttle.confirm('password change', 'one')

    expect(() => throttle.confirm('password change', 'one')).toThrow('Too many failed attempts')
    throttle.confirm('password change', 'other').succeed()
    throttle.confirm('new token', 'one').succeed()
    guess(throttle, '192.0.2.1').succeed()
  })
})

describe('a device cookie', () => {
  test('is valid for its account alone, for a year', () => {
    const clock = new HeldClock()
    const devices = new Devices('s'.repeat(32), { clock, random: secureRandom })
    const value = devices.issue('ann@control.example')
    const id = devices.idOf(value, 'ann@control.example')

    expect(id).toMatch(/^[\w-]{22}$/)
    expect(devices.idOf(value, 'bob@control.example')).toBeUndefined()
    expect(devices.idOf(devices.issue('ann', id), 'ann')).toBe(id as string)
    clock.move(365 * DAY_MS - 1)
    expect(devices.idOf(value, 'ann@control.example')).toBe(id as string)
    clock.move(1)
    expect(devices.idOf(value, 'ann@control.example')).toBeUndefined()
  })

  test('is invalid with a changed character or another secret', () => {
    const deps = { clock: new HeldClock(), random: secureRandom }
    const devices = new Devices('s'.repeat(32), deps)
    const value = devices.issue('ann')
    const changed = [...value].map(
      (character, at) => value.slice(0, at) + (character === 'A' ? 'B' : 'A') + value.slice(at + 1),
    )
    // The last character of 43 holds two bits that mean nothing.
    const others = [...changed.slice(0, -1), '', '..', `${value}x`, value.slice(0, -1)]

    expect(others.filter((other) => devices.idOf(other, 'ann') !== undefined)).toEqual([])
    expect(new Devices('t'.repeat(32), deps).idOf(value, 'ann')).toBeUndefined()
  })
})

describe('the owner of an account', () => {
  test('logs in with a known device from a refused address', async (dashboard) => {
    const first = await dashboard.send('POST', '/api/auth/login', right)
    const [, device = ''] = first.headers.getSetCookie().map((line) => line.split(';')[0] ?? '')
    for (let turn = 0; turn < 5; turn++) await dashboard.call('POST', '/api/auth/login', wrong)
    const login = (cookie: string) =>
      dashboard.send('POST', '/api/auth/login', right, { cookie, 'sec-fetch-site': 'same-origin' })

    const stranger = await login('')
    const owner = await login(device)

    expect([stranger.status, owner.status]).toEqual([429, 200])
    const [, again = ''] = owner.headers.getSetCookie()
    expect(again.split('.')[0]).toBe(device.split('.')[0] as string)
  })

  test('changes the password while strangers guess the login', async (dashboard) => {
    for (let turn = 0; turn < 7; turn++) await dashboard.call('POST', '/api/auth/login', wrong)
    const change = { current_password: PASSWORD, password: 'another long one' }

    expect((await dashboard.call('POST', '/api/auth/password', change)).status).toBe(204)
  })

  test('is refused with 429 after five wrong current passwords in one session alone', async (dashboard) => {
    const change = (current_password: string) =>
      dashboard.call('POST', '/api/auth/password', { current_password, password: 'a'.repeat(12) })
    for (let turn = 0; turn < 5; turn++) expect((await change('guess')).status).toBe(422)

    const refused = await change(PASSWORD)
    await dashboard.signIn()

    expect(refused.status).toBe(429)
    expect((await change(PASSWORD)).status).toBe(204)
  })
})

test('a login that was not checked because of a full queue is 429 and does not count', async (dashboard) => {
  using verify = spyOn(Bun.password, 'verify')
  const { promise, resolve } = Promise.withResolvers<void>()
  const { passwords } = dashboard.deps
  const asker = (by: number) => ({ by: `other ${by}`, known: false, delay_ms: 0 })
  const real = verify.getMockImplementation()
  verify.mockImplementation(async () => {
    await promise
    return false
  })
  const waiting = Array.from({ length: 130 }, (_, by) =>
    passwords.verify(new Secret('guess'), undefined, asker(by)),
  )
  const answers: number[] = []
  for (let turn = 0; turn < 10; turn++)
    answers.push((await dashboard.call('POST', '/api/auth/login', wrong)).status)
  resolve()
  await Promise.all(waiting)
  if (real) verify.mockImplementation(real)
  else verify.mockRestore()

  expect(answers).toEqual(Array(10).fill(429))
  expect((await dashboard.call('POST', '/api/auth/login', right)).status).toBe(200)
})
