import { expect, test } from 'bun:test'
import { refused, succeeded, worstOf } from '#agent/features/isolation/attack.ts'
import { isCanary } from '#agent/kernel/site/canary.ts'

test.each([
  ['canary-attacker-abcdefghijklmnop.invalid', true],
  ['www.canary-neighbour-a234567890123456.invalid', true],
  ['canary-attacker-abcdefghijklmnop.invalid.example.com', false],
  ['canary-attacker-abc.invalid', false],
  ['canary.invalid', false],
])('recognises by name that %s is a temporary site: %p', (domain, known) => {
  expect(isCanary(domain)).toBe(known)
})

test('the worst outcome of several places counts, with the place', () => {
  const verdicts = [
    ['php', refused('no_new_privs is set')],
    ['job', succeeded('may run su')],
  ] as const

  expect(worstOf(verdicts)).toEqual({ outcome: 'succeeded', detail: 'from a job: may run su' })
  expect(worstOf([verdicts[0]])).toEqual({
    outcome: 'refused',
    detail: 'from PHP: no_new_privs is set',
  })
})
