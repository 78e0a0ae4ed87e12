import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '#dashboard/web/api/site-settings.ts'
import type { Site } from '#dashboard/web/api/sites.ts'
import { SettingChoice } from '#dashboard/web/features/sites/setting-choice.tsx'
import { CSP_NAMES, HSTS_NAMES } from '#dashboard/web/labels/site-settings.ts'
import { Card } from '#dashboard/web/ui/page.tsx'
import { QueryState } from '#dashboard/web/ui/states.tsx'
import type { Csp, Hsts } from '#shared/sites/site-settings.ts'

const CSP_ABOUT: Record<Csp, string> = {
  basic:
    'Browsers refuse foreign frames around the site, foreign base addresses and foreign objects, and load everything over https. A site that sends a policy itself has only that one.',
  report:
    'As Basic. Browsers also report in their console what a strict policy, which allows nothing from other hosts, would refuse.',
  off: 'Browsers get the policy that the site itself sends, if any.',
}

const HSTS_ABOUT: Record<Hsts, string> = {
  on: 'Browsers that have seen the site use https alone for a year. It needs a certificate that browsers trust.',
  subdomains:
    'Browsers that have seen the site use https alone for a year, for all of its subdomains too, also those on other servers.',
  off: 'Browsers forget that they must use https, with their next visit.',
}

/** The policies for browsers. */
export function SecurityHeadersCard({ site }: { site: Site }) {
  const { data, error, refetch } = useQuery(settingsQuery(site))
  return (
    <Card title="Security headers">
      <QueryState of={{ data, error, refetch }} rows={2} />
      {data && (
        <div className="flex flex-col gap-4">
          <SettingChoice
            site={site}
            name="csp"
            inputOf={(csp) => ({ csp })}
            title="Content security policy"
            label="Content security policy"
            action="Change policy"
            names={CSP_NAMES}
            abouts={CSP_ABOUT}
            value={data.csp}
          />
          <SettingChoice
            site={site}
            name="hsts"
            inputOf={(hsts) => ({ hsts })}
            title="HSTS"
            label="Only https for a year"
            action="Change HSTS"
            names={HSTS_NAMES}
            abouts={HSTS_ABOUT}
            value={data.hsts}
          />
        </div>
      )}
    </Card>
  )
}
