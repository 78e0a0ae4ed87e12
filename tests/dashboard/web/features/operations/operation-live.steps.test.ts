import { expect, test } from 'bun:test'
import { type Step, stepsOf } from '#dashboard/web/features/operations/operation-live.tsx'
import type { StoredEvent } from '#shared/kernel/sse.ts'
import type { StepState } from '#shared/kernel/steps.ts'

const TITLES = {
  packages: 'Installing PHP 8.3',
  user: 'Creating the user',
  core: 'Copying WordPress',
  certificate: 'Requesting a certificate',
}
type Name = keyof typeof TITLES

const change = (name: Name, state: StepState): StoredEvent => ({
  id: 0,
  event: 'step',
  data: { name, title: TITLES[name], state },
})
const waiting = (['packages', 'user', 'core', 'certificate'] as const).map((name) =>
  change(name, 'waiting'),
)
const statesOf = (steps: Step[]) => steps.map(({ title, state }) => `${state}: ${title}`)

test('shows completed, running and pending steps of a plan', () => {
  const log: StoredEvent = { id: 1, event: 'log', data: { message: 'Undoing: Creating the user' } }
  const changes = [
    change('user', 'running'),
    log,
    change('user', 'done'),
    change('core', 'running'),
  ]

  const steps = stepsOf([...waiting, change('packages', 'skipped'), ...changes], {})

  expect(statesOf(steps)).toEqual([
    'skipped: Installing PHP 8.3',
    'done: Creating the user',
    'running: Copying WordPress',
    'waiting: Requesting a certificate',
  ])
})

test('shows undone steps and failed undos', () => {
  const changes = [change('core', 'failed'), change('user', 'undone')]

  expect(statesOf(stepsOf([...waiting, ...changes], { end: 'failed' }))).toEqual([
    'waiting: Installing PHP 8.3',
    'undone: Creating the user',
    'failed: Copying WordPress',
    'waiting: Requesting a certificate',
  ])
  const left = [...waiting, ...changes, change('user', 'not_undone')]
  expect(statesOf(stepsOf(left, { end: 'failed' }))[1]).toBe('not_undone: Creating the user')
})

test('shows the interrupted step as cancelled, and the rest as not started', () => {
  const changes = [change('user', 'undone'), change('core', 'failed')]

  for (const known of [{ cancels: true }, { end: 'cancelled' }] as const)
    expect(statesOf(stepsOf([...waiting, ...changes], known))).toEqual([
      'waiting: Installing PHP 8.3',
      'undone: Creating the user',
      'cancelled: Copying WordPress',
      'waiting: Requesting a certificate',
    ])
})

test('a step without its certificate differs from completed ones', () => {
  const events = [change('user', 'done'), change('certificate', 'done')]
  const warned = ['certificate_refused']

  expect(statesOf(stepsOf(events, { end: 'success', warned }))).toEqual([
    'done: Creating the user',
    'warned: Requesting a certificate',
  ])
  expect(stepsOf(events, { end: 'success', warned: ['other'] }).at(-1)?.state).toBe('done')
})

test('no step is running after an end that its agent did not report', () => {
  const events = [change('user', 'undoing'), change('core', 'running')]

  expect(statesOf(stepsOf(events, { end: 'failed' }))).toEqual([
    'not_undone: Creating the user',
    'failed: Copying WordPress',
  ])
})

test('an operation without steps has none, whatever its log says', () => {
  const log: StoredEvent = { id: 1, event: 'log', data: { message: 'Copying WordPress' } }

  expect(stepsOf([log], { end: 'success' })).toEqual([])
})
