import { expect, test } from 'bun:test'
import { type Step, stepsOf } from '#dashboard/web/features/operation/steps.ts'

const plan = ['Installing PHP 8.3', 'Creating the user', 'Copying WordPress', 'Recording the site']

const told = (steps: Step[]) => steps.map(({ title, state }) => `${state}: ${title}`)

test('shows completed, running and pending steps of a plan', () => {
  const lines = ['Creating the user', 'Copying WordPress', 'Getting WordPress', '12 MB']

  const steps = stepsOf({ lines, plan })

  expect(told(steps)).toEqual([
    'skipped: Installing PHP 8.3',
    'done: Creating the user',
    'running: Copying WordPress',
    'waiting: Recording the site',
  ])
})

test('derives steps from lines when no plan is known', () => {
  const lines = [
    'Installing nginx, mariadb-server',
    'Reading package lists...',
    'Setting up nginx (1.26.3-3) ...',
    'Configuring nginx',
  ]

  expect(told(stepsOf({ lines }))).toEqual([
    'done: Installing nginx, mariadb-server',
    'running: Configuring nginx',
  ])
  expect(told(stepsOf({ lines, end: 'success' }))).toEqual([
    'done: Installing nginx, mariadb-server',
    'done: Configuring nginx',
  ])
})

test('shows undone steps, newest first, and failed undos', () => {
  const begun = ['Creating the user', 'Copying WordPress', 'Failed: The disk is full']
  const lines = [...begun, 'Undoing: Creating the user']

  expect(told(stepsOf({ lines, plan }))).toEqual([
    'skipped: Installing PHP 8.3',
    'undoing: Creating the user',
    'failed: Copying WordPress',
    'waiting: Recording the site',
  ])
  expect(told(stepsOf({ lines, plan, end: 'failed', message: 'The disk is full' }))).toEqual([
    'skipped: Installing PHP 8.3',
    'undone: Creating the user',
    'failed: Copying WordPress',
    'waiting: Recording the site',
  ])
  const message = 'The disk is full; could not undo: Creating the user (userdel: busy)'
  expect(told(stepsOf({ lines, plan, end: 'failed', message }))[1]).toBe('left: Creating the user')
})

test('shows the interrupted step as cancelled, and the rest as not started', () => {
  const lines = ['Creating the user', 'The operation was cancelled', 'Undoing: Creating the user']

  const later = ['Creating the user', 'Copying WordPress', 'Undoing: Creating the user']
  expect(told(stepsOf({ lines: later, plan, end: 'cancelled' }))).toEqual([
    'skipped: Installing PHP 8.3',
    'undone: Creating the user',
    'cancelled: Copying WordPress',
    'waiting: Recording the site',
  ])
  expect(told(stepsOf({ lines, plan, end: 'cancelled' }))).toEqual([
    'skipped: Installing PHP 8.3',
    'undone: Creating the user',
    'waiting: Copying WordPress',
    'waiting: Recording the site',
  ])
})

test('a step without its certificate differs from completed ones', () => {
  const lines = [
    'Adding the virtual host',
    'Certifying shop.example',
    'No certificate yet: refused',
  ]
  const warned = ['certificate_refused']
  expect(stepsOf({ lines, end: 'success', warned })).toEqual([
    { title: 'Adding the virtual host', state: 'done' },
    { title: 'Certifying shop.example', state: 'warned' },
  ])
  expect(stepsOf({ lines, end: 'success', warned: ['other'] }).at(-1)?.state).toBe('done')
})
