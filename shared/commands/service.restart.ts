import { z } from 'zod'
import { command } from '#shared/command.ts'

/** The services that a provisioned server runs; PHP-FPM of a site is `php-fpm:<user>`. */
export const ServiceName = z
  .string({
    error: ({ input }) => (input === undefined ? 'Service is required' : 'Must be a string'),
  })
  .regex(
    /^(nginx|mariadb|php-fpm:[a-z_][a-z0-9_-]{0,31})$/,
    'Must be nginx, mariadb or php-fpm:<user>',
  )

export const serviceRestart = command({
  name: 'service.restart',
  summary: 'Restart nginx, MariaDB or the PHP-FPM of one site',
  changes: true,
  params: z.object({
    service: ServiceName.describe('nginx, mariadb, or php-fpm:<user> of one site.'),
  }),
  result: z.object({ service: z.string().max(64) }),
})
