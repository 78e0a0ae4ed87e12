import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { budgetOf, machineOf, plannedFor, tierLimitsOn } from '#agent/kernel/site/tiers.ts'
import { TIERS } from '#shared/kernel/values.ts'
import { fakeHost } from '#tests/support/fake-host.ts'
import { forAll } from '#tests/support/for-all.ts'

test.each([
  ['small', { cores: 2, memory: 8192 }, 5],
  ['medium', { cores: 2, memory: 8192 }, 10],
  ['large', { cores: 8, memory: 16384 }, 25],
  ['large', { cores: 2, memory: 8192 }, 10],
  ['medium', { cores: 1, memory: 2048 }, 5],
  ['large', { cores: 8, memory: 1024 }, 5],
  ['small', { cores: 1, memory: 512 }, 2],
] as const)('%s on %p has %d workers', (tier, machine, children) => {
  expect(tierLimitsOn(tier, machine).children).toBe(children)
})

test('never has more spare workers than workers', () => {
  const { spare, children } = tierLimitsOn('large', { cores: 8, memory: 1024 })

  expect([children, spare]).toEqual([5, { start: 5, min: 3, max: 5 }])
})

test('bounds the slice by the machine', () => {
  expect(tierLimitsOn('large', { cores: 4, memory: 2000 }).slice).toEqual({
    memory_high: 1280,
    memory_max: 1600,
    cpu_weight: 200,
    tasks: 512,
  })
})

test('sums the limits of all sites', () => {
  const machine = { cores: 4, memory: 4096 }

  expect(plannedFor(['small', 'small', 'medium'], machine)).toBe(5 * 64 + 5 * 64 + 10 * 80)
  expect(budgetOf(machine)).toBe(3302)
})

test('reads cores and memory of the machine, and assumes little if it cannot', async () => {
  const host = fakeHost()
  expect(await machineOf(host)).toEqual({ cores: 1, memory: 1024 })
  await host.disk.write('/proc/meminfo', 'MemTotal:        2097152 kB\nMemFree: 1 kB\n')
  await host.disk.write('/proc/cpuinfo', 'processor\t: 0\nmodel name\t: x\nprocessor\t: 1\n')

  expect(await machineOf(host)).toEqual({ cores: 2, memory: 2048 })
})

test('renders a valid pool that outlives its longest request, on any machine', () => {
  const machines = fc.record({
    cores: fc.integer({ min: 1, max: 512 }),
    memory: fc.integer({ min: 64, max: 4_000_000 }),
  })
  forAll(fc.constantFrom(...TIERS), machines, (tier, machine) => {
    const { children, spare, sleep, execution_time } = tierLimitsOn(tier, machine)
    // php-fpm.conf(5): otherwise it does not start.
    expect(spare.min).toBeGreaterThan(0)
    expect(spare.start).toBeGreaterThanOrEqual(spare.min)
    expect(spare.max).toBeGreaterThanOrEqual(spare.start)
    expect(children).toBeGreaterThanOrEqual(spare.max)
    if (sleep > 0) expect(sleep).toBeGreaterThan(2 * execution_time)
  })
})
