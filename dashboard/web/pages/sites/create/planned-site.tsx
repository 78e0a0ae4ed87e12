import { Plus } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { ApiError, messageOf } from '#dashboard/web/api/client.ts'
import { AlsoOn } from '#dashboard/web/features/sites/also-on.tsx'
import { useDnsChoice } from '#dashboard/web/features/sites/dns-choice.tsx'
import { TLS_TEXTS } from '#dashboard/web/labels/site.ts'
import { Accept, consentsOf } from '#dashboard/web/ui/accept.tsx'
import { Button } from '#dashboard/web/ui/button.tsx'
import { Facts } from '#dashboard/web/ui/facts.tsx'
import { Notice } from '#dashboard/web/ui/notice.tsx'
import { isShort, PlanSteps, PlanSummary } from '#dashboard/web/ui/plan.tsx'
import { Failure } from '#dashboard/web/ui/states.tsx'
import type { Plan } from '#shared/kernel/plan.ts'
import { pairOf } from '#shared/kernel/site-names.ts'
import { unicodeOf } from '#shared/kernel/unicode-domain.ts'
import type { Creation } from './use-creation.ts'

interface PlannedSiteProps {
  creation: Creation
  /** The name of the chosen one. */
  server: string
  onRefused: (field: string) => void
}

/** The plan of the site, and the button that creates it. */
export function PlannedSite({ creation, server, onRefused }: PlannedSiteProps) {
  const { planned, error, isCreating, refusals } = creation
  const [accepted, setAccepted] = useState(false)
  const isOpen = consentsOf(planned?.plan).length > 0 && !accepted
  const place = useRef<HTMLElement>(null)
  // Keyboard users continue from the plan.
  useEffect(() => {
    place.current?.focus({ preventScroll: true })
    place.current?.scrollIntoView({ block: 'start' })
  }, [])
  const domain = planned?.site.domain
  const records = useDnsChoice(creation.server_id, domain === undefined ? [] : pairOf(domain))
  const isRefused = error !== null && Object.keys(refusals).length === 0
  return (
    <section
      ref={place}
      tabIndex={-1}
      aria-label="The plan of the site"
      className="flex scroll-mt-32 flex-col gap-4 outline-none"
    >
      {planned && <Chosen site={planned.site} server={server} />}
      {planned && <AlsoOn domain={planned.site.domain} also_on={planned.also_on} />}
      {planned && <Steps plan={planned.plan} />}
      {records.fields}
      {planned && <Accept plan={planned.plan} accepted={accepted} onChange={setAccepted} />}
      {!planned && <WithoutPlan error={error} />}
      {planned && isRefused && <Failure error={error} />}
      <div className="sticky bottom-0 -mx-4 -mb-4 flex justify-end rounded-b-xl border-t border-line bg-surface p-4">
        <Button
          kind="primary"
          icon={<Plus />}
          busy={isCreating}
          disabled={isOpen || records.isOpen}
          onClick={() => creation.create(onRefused, records.chosen)}
        >
          {planned ? 'Create site' : 'Create site without a plan'}
        </Button>
      </div>
    </section>
  )
}

/** A long plan is one line that opens. */
const Steps = ({ plan }: { plan: Plan }) =>
  isShort(plan) ? <PlanSteps plan={plan} /> : <PlanSummary plan={plan} />

type Planned = NonNullable<Creation['planned']>

function Chosen({ site, server }: { site: Planned['site']; server: string }) {
  const { domain, user, php, tier, tls, email } = site
  const spelled = unicodeOf(domain)
  return (
    <Facts
      of={{
        Domain: spelled === domain ? domain : `${spelled} (${domain})`,
        Server: server,
        'System user': <code className="text-xs">{user}</code>,
        PHP: php,
        Tier: tier,
        TLS: TLS_TEXTS[tls].name,
        Email: email,
      }}
    />
  )
}

function WithoutPlan({ error }: { error: unknown }) {
  if (error instanceof ApiError && error.status === 409)
    return (
      <Notice kind="warn" title={messageOf(error)}>
        You can still create the site. Its steps are shown while they run.
      </Notice>
    )
  return (
    <Notice kind="wait" title="The server cannot be reached now">
      No plan is available. You can still create the site: the operation waits until the server is
      online, and fails after its deadline.
    </Notice>
  )
}
