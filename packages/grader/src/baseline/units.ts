/** Names of unit signs after a number, for units of school books. Case matters ("mA" and "MA"). */
const SIGNS = new Map(
  [
    'mm millimetre, cm centimetre, m metre, km kilometre, mg milligram, g gram, kg kilogram',
    'ml millilitre, mL millilitre, l litre, L litre, ms millisecond, s second, sec second, min minute',
    'h hour, hr hour, hrs hour, A ampere, mA milliampere, amp ampere, amps ampere, V volt, W watt, kW kilowatt',
    'N newton, J joule, kJ kilojoule, Pa pascal, Hz hertz, K kelvin, C celsius, Ω ohm',
  ]
    .flatMap((line) => line.split(', '))
    .map((pair): [string, string] => {
      const [sign = '', name = ''] = pair.split(' ');
      return [sign, name];
    }),
);
const NAMES = new Set(SIGNS.values());

export const unitWord = (written: string): string | null => {
  const sign = SIGNS.get(written);
  if (sign !== undefined) return sign;
  const name = written
    .toLowerCase()
    .replace(/met(?:er|re)s?$/u, 'metre')
    .replace(/lit(?:er|re)s?$/u, 'litre')
    .replace(/s$/u, '');
  return NAMES.has(name) ? name : null;
};
