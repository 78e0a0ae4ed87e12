import { conflict } from '#shared/kernel/errors.ts'
import { PROTOCOL } from '#shared/kernel/protocol.ts'
import type { AgentAddress } from './transport.ts'

/** The calls of agents of every protocol, which never change: the contract, and upgrades. */
const OF_EVERY_AGENT: ReadonlySet<string> = new Set([
  '/health',
  '/metrics',
  '/services',
  '/sites',
  '/exec',
  '/sites/wp-scan',
  '/sites/db-password',
  '/build',
  '/keys',
])

/** Whether an agent has the call of a path, whatever its protocol is. */
export const isOfEveryAgent = (path: string): boolean =>
  OF_EVERY_AGENT.has(path.replace(/\?.*/, ''))

/** Whether an agent has the protocol of this dashboard, by its last metrics. */
export const hasOurProtocol = ({ metrics }: Pick<AgentAddress, 'metrics'>): boolean =>
  metrics?.protocol === PROTOCOL

/** The refusal of a call that needs the protocol of this dashboard. */
export const upgradeNeeded = () =>
  conflict(
    'The agent of this server has another protocol than this dashboard: upgrade the agent',
    'upgrade_needed',
  )
