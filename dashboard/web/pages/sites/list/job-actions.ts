import { CalendarMinus, CalendarPlus } from 'lucide-react'
import { AddJob, RemoveJob } from './job-params.tsx'

/** One cron job of each of many sites. */
export const JOB_ACTIONS = [
  {
    name: 'Add cron job',
    icon: CalendarPlus,
    about:
      'Adds the same job to each of them. A site that has another job of this name keeps it, and is reported.',
    fields: AddJob,
  },
  {
    name: 'Remove cron job',
    icon: CalendarMinus,
    about: 'Removes the job of this name from each of them. A run of it is ended.',
    fields: RemoveJob,
  },
]
