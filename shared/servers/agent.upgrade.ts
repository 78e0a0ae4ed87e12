import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { required } from '#shared/kernel/fields.ts'
import {
  bulkParams,
  completesWith,
  noParams,
  operationType,
} from '#shared/kernel/operation-type.ts'
import { ReleaseSignature } from '#shared/kernel/release.ts'

const text = (label: string) => z.string(required(label))

const BUILD = /^https?:\/\/[A-Za-z0-9._~:/[\]-]+\/agent\/[a-z0-9-]+\.gz$/

const agentUpgrade = command({
  name: 'agent.upgrade',
  summary: 'Install another build of the agent, or roll back if it does not answer',
  changes: true,
  minutes: 20,
  params: z.object({
    /** The address of the dashboard, which serves the build compressed. */
    url: text('Address').max(2048).regex(BUILD, 'Must be the address of a build'),
    /** The digest of the executable, in hexadecimal: no other file is ever started. */
    sha256: text('Digest').regex(/^[0-9a-f]{64}$/, 'Must be 64 hexadecimal digits'),
    /** The signed manifest and the signature. */
    manifest: text('Manifest').max(1024).optional(),
    signature: text('Signature').pipe(ReleaseSignature).optional(),
  }),
  result: z.object({ version: z.string().max(255) }),
})

export const agentUpgradeType = operationType({
  name: 'Upgrade agent',
  title: 'Upgrade the agent of',
  target: 'server',
  command: agentUpgrade,
  right: 'operate',
  excludes: 'all_of_server',
  params: noParams,
  confirms: {},
  outcome: completesWith(agentUpgrade.result),
  bulk: { title: 'Upgrade agent of', params: bulkParams({}), words: {} },
})
