import type { Effect, Plan } from '#shared/plan.ts'

/** The things of a machine, `kind name` → a fingerprint: `file /etc/x`, `user shop`, `package nginx`. */
export type Things = ReadonlyMap<string, string>

const PATHS = ['file', 'folder', 'link', 'socket', 'pages']

/**
 * Differences between a plan and the result, a line each: unnamed things that were made, changed or
 * removed, and named ones that were not. Empty: the plan was exact.
 */
export function deviations(plan: Plan, before: Things, after: Things): string[] {
  const effects = plan.steps.flatMap((step) => step.effects)
  const happened = differences(before, after)
  return [
    ...happened
      .filter((one) => !effects.some((effect) => covers(effect, one)))
      .map(({ action, kind, name }) => `not in the plan: ${action} ${kind} ${name}`),
    ...effects
      .filter((effect) => !cameTrue(effect, happened, { before, after }, effects))
      .map(({ action, kind, name }) => `did not happen: ${action} ${kind} ${name}`),
  ]
}

export function differences(before: Things, after: Things): Effect[] {
  const keys = new Set([...before.keys(), ...after.keys()])
  return [...keys].sort().flatMap((key): Effect[] => {
    const [was, is] = [before.get(key), after.get(key)]
    if (was === is) return []
    const action = was === undefined ? 'create' : is === undefined ? 'remove' : 'change'
    const [kind = '', name = ''] = split(key)
    return [{ action, kind, name }]
  })
}

function covers(effect: Effect, one: Effect): boolean {
  if (effect.action === 'run') return false
  if (effect.kind === 'database' && one.kind === 'database' && effect.name === one.name) return true
  if (effect.action === one.action && effect.kind === one.kind && effect.name === one.name)
    return true
  if (!PATHS.includes(one.kind)) return false
  const below = one.name.startsWith(`${effect.name}/`)
  if (effect.kind === 'pages') return below && one.action === 'remove'
  if (effect.kind !== 'folder' || !below) return false
  return effect.action === 'change' || effect.action === one.action
}

function cameTrue(
  effect: Effect,
  happened: readonly Effect[],
  { before, after }: { before: Things; after: Things },
  effects: readonly Effect[],
): boolean {
  const { action, kind, name } = effect
  const key = `${kind} ${name}`
  if (action === 'run') return true
  if (action === 'create')
    return !before.has(key) && (after.has(key) || isTakenBack(effect, effects))
  if (kind === 'pages') return happened.some((one) => covers(effect, one))
  if (action === 'remove') return !after.has(key)
  // Made by an earlier step, then changed by this one.
  if (!before.has(key)) return after.has(key)
  return happened.some((one) => covers(effect, one))
}

/** Made by one step and removed by another. */
function isTakenBack({ kind, name }: Effect, effects: readonly Effect[]): boolean {
  return effects.some((one) => one.action === 'remove' && one.kind === kind && one.name === name)
}

function split(key: string): [string, string] {
  const space = key.indexOf(' ')
  return [key.slice(0, space), key.slice(space + 1)]
}
