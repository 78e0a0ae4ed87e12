import type { Effect, Plan } from '#shared/kernel/plan.ts'

/** The things of a machine, `kind name` → a fingerprint: `file /etc/x`, `user shop`, `package nginx`. */
export type Things = ReadonlyMap<string, string>

const PATHS = ['file', 'folder', 'link', 'socket', 'pages']

/**
 * Differences between a plan and the result, a line each: unnamed things that were made, changed or
 * removed, and named ones that were not. Empty: the plan was exact.
 */
export function deviations(plan: Plan, before: Things, after: Things): string[] {
  const planned = plan.steps.flatMap((step) => step.effects)
  const effects = planned.map((effect) => named(effect, planned, after))
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

/** The end of a temporary user, and the number of a new account, are known afterwards. */
function named(effect: Effect, effects: readonly Effect[], after: Things): Effect {
  const unknown = effect.name.replace(/^(hosting_tmp_[^_@]+)@/, '$1_<end>@')
  const parts = unknown.split(/<.+>/)
  if (parts.length === 1) return effect
  const pattern = new RegExp(`^${effect.kind} (${parts.map(RegExp.escape).join('\\d+')})$`)
  const names = [...after.keys()].flatMap((key) => pattern.exec(key)?.[1] ?? [])
  const others = effects.map(({ name }) => name)
  return { ...effect, name: names.find((name) => !others.includes(name)) ?? effect.name }
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
  const isSame = effect.kind === one.kind && effect.name === one.name
  if (isSame && (effect.action === one.action || one.kind === 'database')) return true
  if (one.kind === 'password')
    return effect.kind === 'user' && effect.action === one.action && effect.name === one.name
  return PATHS.includes(one.kind) && one.name.startsWith(`${effect.name}/`) && holds(effect, one)
}

/** Whether the effect on a folder is one on what is in it. */
function holds({ action, kind }: Effect, one: Effect): boolean {
  if (kind === 'pages') return one.action === 'remove'
  return kind === 'folder' && (action === 'change' || action === one.action)
}

function cameTrue(
  effect: Effect,
  happened: readonly Effect[],
  { before, after }: { before: Things; after: Things },
  effects: readonly Effect[],
): boolean {
  const { action, kind, name } = effect
  const key = `${kind} ${name}`
  const isReverted = effects.some((one) => one !== effect && reverts(one, effect))
  if (action === 'run') return true
  if (action === 'create')
    return before.has(key) ? isReverted && after.has(key) : after.has(key) || isReverted
  if (kind === 'pages') return happened.some((one) => covers(effect, one))
  if (action === 'remove') return !after.has(key) || (isReverted && before.has(key))
  // Made by an earlier step, then changed by this one.
  if (!before.has(key)) return after.has(key)
  return isReverted || happened.some((one) => covers(effect, one))
}

/** Whether the thing is as before after both; a folder is removed with everything in it. */
function reverts(one: Effect, { action, kind, name }: Effect): boolean {
  if (one.action !== REVERSE[action]) return false
  if (one.action === 'remove' && one.kind === 'folder' && name.startsWith(`${one.name}/`))
    return true
  return one.kind === kind && one.name === name
}

const REVERSE: Record<string, Effect['action']> = {
  create: 'remove',
  remove: 'create',
  change: 'change',
}

function split(key: string): [string, string] {
  const space = key.indexOf(' ')
  return [key.slice(0, space), key.slice(space + 1)]
}
