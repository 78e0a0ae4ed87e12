import { CalendarMinus, CalendarPlus } from 'lucide-react'
import type { BulkAction } from './bulk-action.ts'
import { AddJob, RemoveJob } from './job-params.tsx'

/** One cron job of each of many sites. */
export const JOB_ACTIONS: readonly Omit<BulkAction, 'type'>[] = [
  {
    menu: 'More',
    name: 'Add cron job',
    icon: CalendarPlus,
    about:
      'Adds the same job to each of them. A site that has another job of this name keeps it, and is reported.',
    fields: AddJob,
  },
  {
    menu: 'More',
    name: 'Remove cron job',
    icon: CalendarMinus,
    about: 'Removes the job of this name from each of them. A run of it is ended.',
    fields: RemoveJob,
  },
]
