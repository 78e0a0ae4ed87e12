import { z } from 'zod'
import { command } from '#shared/kernel/command.ts'
import { required } from '#shared/kernel/fields.ts'
import { bulkParams, completesWith, operationType } from '#shared/kernel/operation-type.ts'

/** The services that a provisioned server runs; PHP-FPM of a site is `php-fpm:<user>`. */
export const ServiceName = z
  .string(required('Service'))
  .regex(
    /^(nginx|mariadb|php-fpm:[a-z_][a-z0-9_-]{0,31})$/,
    'Must be nginx, mariadb or php-fpm:<user>',
  )

export const serviceRestart = command({
  name: 'service.restart',
  summary: 'Restart nginx, MariaDB or the PHP-FPM of one site',
  changes: true,
  minutes: 10,
  params: z.object({
    service: ServiceName.describe('nginx, mariadb, or php-fpm:<user> of one site.'),
  }),
  result: z.object({ service: z.string().max(64) }),
})

export const serviceRestartType = operationType({
  name: 'Restart service',
  title: 'Restart a service of',
  target: 'server',
  command: serviceRestart,
  right: 'operate',
  params: serviceRestart.params,
  confirms: { service: 'service' },
  outcome: completesWith(serviceRestart.result),
  unrecorded: 'of a server',
  bulk: {
    title: 'Restart service of',
    params: bulkParams(serviceRestart.params.shape),
    words: { service: 'service' },
  },
})
