import { Elysia } from 'elysia'
import type { Deps } from '#dashboard/deps.ts'

export function fleetRoutes(_deps: Deps) {
  return new Elysia({ prefix: '/fleet' })
}
