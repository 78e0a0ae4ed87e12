import type { Readings } from '#agent/readings/readings.ts'

/** The calls without parameters, by their path. */
export function readingCalls(readings: Readings): Record<string, () => Promise<object>> {
  return {
    '/health': async () => ({ status: 'ok' }),
    '/metrics': () => readings.metrics(),
    '/state': () => readings.state(),
    '/build': () => readings.build(),
    '/services': async () => ({ services: await readings.services() }),
    '/sites': async () => ({ sites: await readings.sites() }),
    '/certificates': async () => ({ certificates: await readings.certificates() }),
    '/web': () => readings.web(),
    '/usage': async () => ({ sites: await readings.usage() }),
    '/maintenance': async () => ({ maintenance: await readings.maintenance() }),
    '/mail': () => readings.mail(),
    '/job-troubles': async () => ({ sites: await readings.jobTroubles() }),
    '/access': async () => ({ sites: await readings.access() }),
    '/logins': async () => ({ logins: await readings.logins() }),
    '/conditions': async () => ({ conditions: await readings.conditions() }),
    '/php': async () => ({ php: await readings.php() }),
    '/sites/health': async () => ({ sites: await readings.health() }),
    '/trash': async () => ({ trash: await readings.trash() }),
  }
}
