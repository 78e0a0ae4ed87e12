import { HealthBadge } from '#dashboard/web/ui/health.tsx'
import { Meter } from '#dashboard/web/ui/meter.tsx'
import { Card } from '#dashboard/web/ui/page.tsx'
import { ProgressBar } from '#dashboard/web/ui/progress-bar.tsx'
import { Badge, Status, TONES } from '#dashboard/web/ui/status.tsx'
import { Time } from '#dashboard/web/ui/time.tsx'
import { Row } from './row.tsx'

const STATUSES = ['active', 'running', 'queued', 'pending', 'failed', 'offline', 'cancelled']
const SHARES = [0.42, 0.85, 0.97]

export function States() {
  return (
    <Card title="States">
      <Row name="Badge">
        {Object.keys(TONES).map((tone) => (
          <Badge key={tone} tone={tone as keyof typeof TONES}>
            {tone}
          </Badge>
        ))}
      </Row>
      <Row name="Status">
        {STATUSES.map((value) => (
          <Status key={value} value={value} />
        ))}
      </Row>
      <Row name="Health">
        <HealthBadge state="up" />
        <HealthBadge state="degraded" reason="The certificate ends in 3 days" />
        <HealthBadge state="down" reason="PHP does not answer" />
        <HealthBadge state="unknown" />
      </Row>
      <Row name="Meter">
        {SHARES.map((share) => (
          <Meter key={share} share={share} className="w-36" />
        ))}
        <Meter share={0.6} isOld className="w-36" />
      </Row>
      <Row name="Progress">
        <ProgressBar label="Sites" total={20} parts={{ good: 9, bad: 2, plain: 1, busy: 3 }} />
      </Row>
      <Row name="Time">
        <Time at="2026-01-01T12:00:00.000Z" />
        <Time at={null} />
      </Row>
    </Card>
  )
}
