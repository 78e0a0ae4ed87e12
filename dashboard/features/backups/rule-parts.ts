import {
  NO_CHANGE,
  type OperationRules,
  type RecordChange,
} from '#dashboard/kernel/engine/rules.ts'
import type { ReplacementType } from '#shared/backups/backup-schedule.ts'
import { SITE_STATUSES } from '#shared/kernel/values.ts'
import type { OperationType } from '#shared/operation-types.ts'
import { restoreStatements } from './restores.queries.ts'

type RulesPart<N extends keyof OperationRules<OperationType>> = Pick<
  OperationRules<OperationType>,
  N
>

/** Every state but that of a site in the trash. */
export const PRESENT = SITE_STATUSES.filter((status) => status !== 'trashed')

/** The states of a site that is on its server. */
export const IN_USE: readonly (typeof SITE_STATUSES)[number][] = ['active', 'suspended']

/** The agent gets the stored params, and an unknown target is an ordinary failure. */
const asStored: RulesPart<'sent' | 'absent'> = { sent: (params) => params, absent: null }

/** The rules of an operation of a server, whose records do not change while it runs. */
export const onServer: RulesPart<'sent' | 'absent' | 'site' | 'during'> = {
  ...asStored,
  site: null,
  during: NO_CHANGE,
}

/** The rules of an operation of a managed site outside the trash, which keeps its state. */
export const onSite: RulesPart<'sent' | 'absent' | 'site' | 'during'> = {
  ...asStored,
  site: { states: PRESENT, found: false },
  during: NO_CHANGE,
}

/** The records change with a success only. */
export const unchangedOtherwise: RulesPart<'failed' | 'cancelled'> = {
  failed: () => NO_CHANGE,
  cancelled: () => NO_CHANGE,
}

/** A call fails when the agent is offline; its retry waits for the agent. */
export const atOnce: RulesPart<'joins' | 'waits'> = {
  joins: false,
  waits: { first: false, retry: true },
}

export const siteCall = { ...onSite, ...atOnce, ...unchangedOtherwise }

export const serverCall = {
  ...onServer,
  ...atOnce,
  ...unchangedOtherwise,
  params: <I>(_: unknown, __: unknown, input: I): I => input,
} as const

/**
 * A call and its retry fail when the agent is offline, and what was not sent within a minute, because
 * the dashboard stopped, is not sent any more: it may be right no longer.
 */
export const neverQueued: RulesPart<'joins' | 'waits' | 'expires_ms'> = {
  joins: false,
  waits: { first: false, retry: false },
  expires_ms: 60_000,
}

/** An operation waits for an agent that is offline. */
export const whenOnline: RulesPart<'joins' | 'waits'> = {
  joins: false,
  waits: { first: true, retry: true },
}

/** Records the replaced state of a site, for types that can be undone. */
export const replacedBy =
  (cause: ReplacementType) =>
  ({ at, until }: { at: string; until: string }): RecordChange =>
  (queries, { site_id }) =>
    site_id === null ? [] : restoreStatements(queries, site_id, { at, until, cause })

/** A bulk call for servers selects their sites in use. */
export const bulkInUse: RulesPart<'bulk'> = {
  bulk: { states: IN_USE, managed_only: false, stores_origin: false },
}

export const bulkServers: RulesPart<'bulk'> = {
  bulk: { states: [], managed_only: false, stores_origin: false },
}

/** Returns the agent's reason, with the name of the cancelled operation. */
export const named = (reason: string, name: string) => reason.replace('The operation', name)

/** Returns the domain of the site; an operation that was started without one cannot name it. */
export const domainOf = ({ site }: { site?: { domain: string } }): string => siteOf({ site }).domain

export function siteOf<S>({ site }: { site?: S | undefined }): S {
  if (!site) throw new Error('The operation has no site')
  return site
}
