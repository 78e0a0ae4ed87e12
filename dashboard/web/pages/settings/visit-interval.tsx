import { TextSetting } from './text-setting.tsx'

/** By name, in seconds. */
const INTERVALS: Record<string, number> = {
  Never: 0,
  'Every minute': 60,
  'Every 2 minutes': 120,
  'Every 5 minutes': 300,
  'Every 10 minutes': 600,
  'Every 15 minutes': 900,
  'Every 30 minutes': 1800,
  'Every hour': 3600,
}

/** The API takes any number of seconds: another one stays a choice. */
export function VisitInterval({ value }: { value: number }) {
  const [known] = Object.entries(INTERVALS).find(([, seconds]) => seconds === value) ?? []
  const current = known ?? `Every ${value} seconds`
  return (
    <TextSetting
      setting="visit_interval"
      label="Request sites from outside"
      hint="How often this dashboard requests the front page of each site as a visitor. A PHP that sleeps wakes for it. A site is also requested right after each change of its files, options or plugins."
      value={current}
      read={(text) => INTERVALS[text] ?? value}
      options={known ? Object.keys(INTERVALS) : [current, ...Object.keys(INTERVALS)]}
    />
  )
}
