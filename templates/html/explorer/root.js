// A root (p + sign sqrt(q)) / r of a quadratic, or null where it is not real; c is p^2 - q.
// Where p and the square root nearly cancel, c / (r (p - sign sqrt(q))) is the same number with all its digits.

function root(p, q, c, r, sign) {
  if (q < 0) return null;
  const t = sign * Math.sqrt(q);
  return p * t < 0 ? c / (r * (p - t)) : (p + t) / r;
}
