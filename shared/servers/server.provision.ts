import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { PhpVersion } from '#shared/kernel/fields.ts'
import { bulkParams, completesWith, operationType } from '#shared/kernel/operation-type.ts'
import { Accept } from '#shared/kernel/plan.ts'

export const serverProvision = command({
  name: 'server.provision',
  summary: 'Install and configure nginx, PHP-FPM, MariaDB and wp-cli',
  changes: true,
  minutes: 60,
  params: z.object({
    php_versions: z
      .array(PhpVersion, { error: 'Must be a list of PHP versions' })
      .max(10, 'Must name at most 10 versions')
      .default([])
      .describe('None: the version that the distribution ships.'),
    php_source: z
      .boolean({ error: 'Must be true or false' })
      .optional()
      .describe('May add the apt repository of the agent for versions that Debian does not have.'),
    accept: Accept.optional(),
  }),
  result: z.object({ php_versions: z.array(z.string().max(16)).max(20) }),
})

export const serverProvisionType = operationType({
  name: 'Provision server',
  title: 'Provision',
  target: 'server',
  command: serverProvision,
  right: 'operate',
  params: serverProvision.params,
  confirms: {},
  outcome: completesWith(serverProvision.result),
  bulk: {
    title: 'Provision',
    params: bulkParams(serverProvision.params.shape),
    words: { php_versions: 'PHP', php_source: 'PHP repository', accept: null },
  },
})
