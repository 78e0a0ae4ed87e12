import type { z } from 'zod'
import { jobsStopReason } from '#agent/features/jobs/cron/cron.ts'
import { nextRunAfter } from '#agent/features/jobs/cron/files.ts'
import { evaluate } from '#agent/features/wordpress/evaluate.ts'
import { wordpressSilent } from '#agent/features/wordpress/failure.ts'
import type { Host } from '#agent/kernel/host/ports.ts'
import { getSite } from '#agent/kernel/site/sites.ts'
import { AgentCron, MAX_EVENTS, OVERDUE_MS } from '#shared/jobs/site-jobs.ts'
import { parseJson } from '#shared/kernel/parse.ts'

const PROBLEM = 'The scheduled events were not read'
const PrintedEvents = AgentCron.pick({ events: true, total: true, overdue: true })

/** Reads the scheduled events of a WordPress without its plugins: those may be broken. */
export async function readEvents(host: Host, domain: string): Promise<z.infer<typeof AgentCron>> {
  const site = await getSite(host, domain)
  const printed = await evaluate(host, site, QUERY, PROBLEM)
  const found = parseJson(PrintedEvents, printed)
  if (!found) throw wordpressSilent(PROBLEM)
  const stopped = jobsStopReason(site)
  const next = stopped === null ? nextRunAfter(site, host.clock.now()) : null
  return { ...found, stopped, next_run_at: next === null ? null : new Date(next).toISOString() }
}

/** Limits the output: a site may have thousands of events, or an option that is no list. */
const QUERY = `<?php
$now = time();
[$events, $total, $overdue] = [[], 0, 0];
$all = _get_cron_array();
if (!is_array($all)) $all = [];
ksort($all);
foreach ($all as $at => $hooks) {
  if (!is_int($at) || $at < 0 || $at > 253402300799 || !is_array($hooks)) continue;
  foreach ($hooks as $hook => $instances) {
    if (!is_array($instances)) continue;
    foreach ($instances as $one) {
      $total++;
      if ($at < $now - ${OVERDUE_MS / 1000}) $overdue++;
      if (count($events) >= ${MAX_EVENTS}) continue;
      $events[] = [
        'hook' => (string) $hook,
        'due_at' => gmdate('Y-m-d\\TH:i:s\\Z', $at),
        'schedule' => is_string($one['schedule'] ?? null) ? $one['schedule'] : null,
        'interval' => is_int($one['interval'] ?? null) ? max(0, min($one['interval'], 1000000000)) : null,
      ];
    }
  }
}
echo json_encode(compact('events', 'total', 'overdue'), JSON_INVALID_UTF8_SUBSTITUTE);
`
